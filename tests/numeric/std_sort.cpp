// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::sort with a lambda and of pairs, partial_sort, nth_element: values move, derivatives with
// them.
// Supports: `std::vector`, `std::array`, algorithms
#include "GradientCheck.h"
#include <algorithm>
#include <vector>

static double ranked(const double *x, double a, int n) {
  std::vector<double> v(x, x + n);
  std::sort(v.begin(), v.end(), [a](double p, double q) { return p * a < q * a; });
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += i * v[i] * v[i];
  std::vector<std::pair<double, int>> w;
  for (int i = 0; i < n; ++i)
    w.push_back({x[i] * a, i % 3});
  std::sort(w.begin(), w.end());
  for (int i = 0; i < n; ++i)
    s += i * w[i].first;
  std::nth_element(v.begin(), v.begin() + n / 2, v.end(), [](double p, double q) { return p > q; });
  std::partial_sort(v.begin(), v.begin() + 3, v.end());
  return s + v[0] * v[1] + v[n / 2] * v[2];
}

GRADIENT_CHECK(std_sort, Double, ranked, In(double, 24), Scalar(double), Int(24))
