// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maximum and minimum, used in what follows.
// Supports: `reduction` with `+`, `max`, `min`, of scalars and array sections
#include "GradientCheck.h"
#include <math.h>

static double largest(const double *x, int n) {
  double m = -1e300;
#pragma omp parallel for reduction(max : m)
  for (int i = 0; i < n; i++) {
    double v = x[i] * x[i] + 1;
    if (v > m)
      m = v;
  }
  return m * m;
}

static double normalised(const double *x, double *y, int n) {
  double low = 1e300, high = -1e300;
#pragma omp parallel for reduction(min : low) reduction(max : high)
  for (int i = 0; i < n; i++) {
    low = fmin(low, x[i]);
    high = fmax(high, x[i]);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = (x[i] - low) / (high - low);
  return high - low;
}

GRADIENT_CHECK(reduction_max, Double, largest, In(double, 27), Int(27))
GRADIENT_CHECK(reduction_min_max, Double, normalised, In(double, 27), Out(double, 27), Int(27))
