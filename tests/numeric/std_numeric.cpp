// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <numeric> and <algorithm> on active values.
// Supports: `<numeric>`, `<algorithm>`
#include "GradientCheck.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

namespace {

double products(const double *x, int n) {
  std::vector<double> a(x, x + n), b(a.rbegin(), a.rend());
  return std::inner_product(a.begin(), a.end(), b.begin(), 1.0) *
         std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>{},
                            [](double p, double q) { return std::fmax(p, q) * p; });
}

double accumulates(const double *x, int n) {
  return std::accumulate(x, x + n, 1.0, std::multiplies<>{}) +
         std::accumulate(x, x + n, 0.0, [](double s, double v) { return s * 0.5 + v * v; });
}

double reduces(const double *x, int n) {
  return std::reduce(x, x + n, 0.5) * std::transform_reduce(x, x + n, x, 0.0) *
         std::transform_reduce(x, x + n, 0.0, std::plus<>{}, [](double v) { return v * v * v; });
}

double scans(const double *x, int n) {
  std::vector<double> a(n), b(n), c(n), d(n), e(n);
  std::partial_sum(x, x + n, a.begin());
  std::exclusive_scan(x, x + n, b.begin(), 1.0, std::multiplies<>{});
  std::inclusive_scan(x, x + n, c.begin());
  std::transform_exclusive_scan(x, x + n, d.begin(), 0.0, std::plus<>{},
                                [](double v) { return v * v; });
  std::adjacent_difference(x, x + n, e.begin());
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * b[i] + c[i] * d[i] * e[i];
  return s;
}

double transforms(const double *x, int n) {
  std::vector<double> y;
  std::transform(x, x + n, std::back_inserter(y), [](double v) { return v * v; });
  std::transform(y.begin(), y.end(), x, y.begin(), [](double a, double b) { return a / (1 + b); });
  std::for_each(y.begin(), y.end(), [](double &v) { v += v * v; });
  return std::accumulate(y.begin(), y.end(), 0.0);
}

double rotations(const double *x, int n) {
  std::vector<double> y(x, x + n);
  std::rotate(y.begin(), y.begin() + 2, y.end());
  std::reverse(y.begin() + 1, y.end());
  std::swap_ranges(y.begin(), y.begin() + 2, y.begin() + 3);
  double s = 0, w = 1;
  for (double v : y)
    s += (w += 0.5) * v * v;
  return s;
}

double partitions(const double *x, int n) {
  std::vector<double> y(x, x + n);
  const auto middle = std::partition(y.begin(), y.end(), [](double v) { return v < 1; });
  const double low = std::accumulate(y.begin(), middle, 1.0, std::multiplies<>{});
  const double high = std::accumulate(middle, y.end(), 0.0);
  y.erase(std::remove_if(y.begin(), y.end(), [](double v) { return v > 1.3; }), y.end());
  return low * high + std::accumulate(y.begin(), y.end(), 0.0);
}

double selection(const double *x, int n) {
  std::vector<double> y(x, x + n);
  std::nth_element(y.begin(), y.begin() + n / 2, y.end());
  const double median = y[n / 2];
  std::partial_sort(y.begin(), y.begin() + 3, y.end(), std::greater<>{});
  return median * median + y[0] * y[1] * y[2];
}

double sortByKey(const double *x, int n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return x[a] < x[b]; });
  double s = 0;
  for (int rank = 0; rank < n; ++rank)
    s += (rank + 1) * x[order[rank]] * x[rank];
  return s;
}

double heaps(const double *x, int n) {
  std::vector<double> h(x, x + n);
  std::make_heap(h.begin(), h.end());
  double s = 0, w = 1;
  bool refilled = false;
  while (h.size() > 2) {
    std::pop_heap(h.begin(), h.end());
    s += (w *= 0.7) * h.back() * h.back();
    h.pop_back();
    if (h.size() == 4 && !refilled) {
      refilled = true;
      h.push_back(s * 0.1);
      std::push_heap(h.begin(), h.end());
    }
  }
  return s * h[0];
}

double merges(const double *x, int n) {
  std::vector<double> a(x, x + n / 2), b(x + n / 2, x + n), all;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  double s = 0;
  for (int i = 0; i + 1 < n; ++i)
    s += all[i] * (all[i + 1] - all[i]) * (i + 1);
  return s;
}

double searches(const double *x, int n) {
  std::vector<double> knots{0.2, 0.6, 0.9, 1.2, 1.8};
  double s = 0;
  for (int i = 0; i < n; ++i) {
    const auto k = std::upper_bound(knots.begin(), knots.end(), x[i]) - knots.begin();
    s += (x[i] - knots[k - 1]) * (knots[k] - x[i]);
  }
  const double *top = std::max_element(x, x + n);
  const auto [lo, hi] = std::minmax_element(x, x + n);
  return s + *top * *lo +
         *hi * static_cast<double>(std::count_if(x, x + n, [](double v) { return v > 1; }));
}

double clamps(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += std::clamp(x[i] * x[i], 0.5, 1.5) * std::lerp(x[0], x[i], 0.3) +
         std::max({x[i], x[0], 1.1}) * std::midpoint(x[i], x[1]);
  return s;
}

double generated(const double *x, int n) {
  std::vector<double> y(n + 2);
  double state = x[0];
  std::generate(y.begin(), y.end(), [&] { return state = state * x[1] + x[2]; });
  std::fill_n(y.begin(), 2, x[2]);
  std::replace_if(y.begin(), y.end(), [](double v) { return v > 3; }, x[0] * x[0]);
  return std::accumulate(y.begin(), y.end(), 0.0, [](double s, double v) { return s + v * v; });
}

double permutations(const double *x, int n) {
  std::vector<int> p(n);
  std::iota(p.begin(), p.end(), 0);
  double determinant = 0;
  do {
    double term = 1;
    int inversions = 0;
    for (int i = 0; i < n; ++i) {
      term *= x[i * n + p[i]];
      for (int j = i + 1; j < n; ++j)
        inversions += p[i] > p[j];
    }
    determinant += inversions % 2 ? -term : term;
  } while (std::next_permutation(p.begin(), p.end()));
  return determinant;
}

} // namespace

GRADIENT_CHECK(std_numeric_products, Double, products, In(double, 6), Int(6))
GRADIENT_CHECK(std_numeric_accumulates, Double, accumulates, In(double, 6), Int(6))
GRADIENT_CHECK(std_numeric_reduces, Double, reduces, In(double, 7), Int(7))
GRADIENT_CHECK(std_numeric_scans, Double, scans, In(double, 6), Int(6))
GRADIENT_CHECK(std_numeric_transforms, Double, transforms, In(double, 6), Int(6))
GRADIENT_CHECK(std_numeric_rotations, Double, rotations, In(double, 7), Int(7))
GRADIENT_CHECK(std_numeric_partitions, Double, partitions, In(double, 8), Int(8))
GRADIENT_CHECK(std_numeric_selection, Double, selection, In(double, 9), Int(9))
GRADIENT_CHECK(std_numeric_sort_by_key, Double, sortByKey, In(double, 9), Int(9))
GRADIENT_CHECK(std_numeric_heaps, Double, heaps, In(double, 7), Int(7))
GRADIENT_CHECK(std_numeric_merges, Double, merges, In(double, 9), Int(9))
GRADIENT_CHECK(std_numeric_searches, Double, searches, In(double, 6), Int(6))
GRADIENT_CHECK(std_numeric_clamps, Double, clamps, In(double, 6), Int(6))
GRADIENT_CHECK(std_numeric_generated, Double, generated, In(double, 3), Int(5))
GRADIENT_CHECK(std_numeric_permutations, Double, permutations, In(double, 16), Int(4))
