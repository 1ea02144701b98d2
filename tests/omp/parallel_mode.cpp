// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms of the standard library that run in teams: libstdc++'s parallel mode.
// Supports: C++ parallel algorithms over OpenMP (`__gnu_parallel`)
#include "GradientCheck.h"

#include <algorithm>
#include <numeric>
#include <vector>

#pragma clang diagnostic ignored "-Wdeprecated-declarations" // in libstdc++
#if __has_include(<parallel/algorithm>)
#include <parallel/algorithm>
#include <parallel/numeric>
namespace algorithms = __gnu_parallel;
#else
namespace algorithms = std;
#endif

static double mapped(const double *x, double *y, int n) {
  algorithms::transform(x, x + n, y, [](double v) { return v * v; });
  algorithms::for_each(y, y + n, [x](double &v) { v *= x[0]; });
  return algorithms::accumulate(y, y + n, 0.0) * algorithms::inner_product(x, x + n, y, 0.0);
}

static double ordered(const double *x, double *y, int n) {
  std::vector<double> sorted(x, x + n);
  algorithms::sort(sorted.begin(), sorted.end());
  algorithms::partial_sum(sorted.begin(), sorted.end(), y);
  return *algorithms::max_element(y, y + n) * sorted[1];
}

GRADIENT_CHECK(parallel_mode_mapped, Double, mapped, In(double, 1500), Out(double, 1500), Int(1500))
GRADIENT_CHECK(parallel_mode_ordered, Double, ordered, In(double, 20), Out(double, 20), Int(20))
