// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A binary search by an active value, then a linear blend; and a bilinear one.
#include "GradientCheck.h"

static double lookup(const double *knots, const double *values, double t, int n) {
  int low = 0, high = n - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (knots[middle] + middle > t)
      high = middle;
    else
      low = middle;
  }
  double x0 = knots[low] + low, x1 = knots[high] + high, f = (t - x0) / (x1 - x0 + 0.1);
  return values[low] * (1 - f) + values[high] * f;
}

static double bilinear(const double *grid, double x, double y, int n) {
  int i = (int)x, j = (int)y;
  double u = x - i, v = y - j;
  const double *c = grid + j * n + i;
  return (1 - v) * ((1 - u) * c[0] + u * c[1]) + v * ((1 - u) * c[n] + u * c[n + 1]);
}

GRADIENT_CHECK(interpolation, Double, lookup, InRange(double, 9, 0, 0.5), In(double, 9),
               ScalarRange(double, 1, 7), Int(9))
GRADIENT_CHECK(interpolation_bilinear, Double, bilinear, In(double, 25), ScalarRange(double, 0, 3),
               ScalarRange(double, 0, 3), Int(5))
