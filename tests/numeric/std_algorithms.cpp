// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// accumulate, inner_product, transform, min and max by reference, sort.
// Supports: `std::vector`, `std::array`, algorithms
#include "GradientCheck.h"
#include <algorithm>
#include <cmath>
#include <numeric>

static double numeric(const double *x, double *y, int n) {
  std::transform(x, x + n, y, [](double v) { return std::exp(-v); });
  const double dot = std::inner_product(x, x + n, y, 0.0);
  return std::accumulate(y, y + n, dot, [](double a, double b) { return a + b * b; });
}

static double clamped(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i + 1 < n; ++i) {
    const double low = std::min(x[i], x[i + 1]), high = std::max(x[i], x[i + 1]);
    sum += std::clamp(low * high, 0.5, 1.5) * high;
  }
  return sum;
}

static double sorted(double *x, int n) {
  std::sort(x, x + n);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * x[i] * x[i];
  return sum;
}

GRADIENT_CHECK(algorithms_numeric, Double, numeric, In(double, 7), Out(double, 7), Int(7))
GRADIENT_CHECK(algorithms_clamp, Double, clamped, In(double, 9), Int(9))
GRADIENT_CHECK(algorithms_sort, Double, sorted, InOut(double, 12), Int(12))
