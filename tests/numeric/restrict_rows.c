// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Promises of 'restrict' hold while the function runs that makes them, not from one call to the
// next: rows that are read by one call are written by the one before or after it.
#include "GradientCheck.h"

static void step(const double *restrict from, double *restrict to, int n) {
  for (int i = 0; i < n; i++)
    to[i] = from[i] * from[(i + 1) % n] + 0.5 * from[i] * from[i] + to[i] * to[i];
}

static double upwards(double *x, int rows, int n) {
  for (int r = 0; r + 1 < rows; r++)
    step(x + r * n, x + (r + 1) * n, n);
  double s = 0;
  for (int i = 0; i < rows * n; i++)
    s += x[i];
  return s;
}

static double downwards(double *x, int rows, int n) {
  for (int r = rows - 1; r > 0; r--)
    step(x + r * n, x + (r - 1) * n, n);
  return x[0] * x[n];
}

static double back_and_forth(double *x, int rows, int n) {
  for (int s = 0; s < 3; s++) {
    step(x, x + n, n);
    step(x + n, x, n);
  }
  return x[0] * x[rows * n - 1];
}

static void mirror(const double *restrict from, double *restrict to, int n, int depth) {
  for (int i = 0; i < n; i++)
    to[i] += 0.3 * from[i] * from[n - 1 - i];
  if (depth > 0)
    mirror(to, (double *)from, n, depth - 1);
}

static double mirrors(double *x, int n) {
  mirror(x, x + n, n, 3);
  return x[0] * x[n] * x[2 * n - 1];
}

static double nested(double *x, int n) {
  double s = 0;
  if (n <= 2) {
    x[0] *= x[1];
    return x[0];
  }
  for (int i = 0; i + 1 < n; i++) {
    s += x[i] * x[i + 1];
    s += 0.2 * nested(x, n - 2);
  }
  return s;
}

GRADIENT_CHECK(restrict_upwards, Double, upwards, InOut(double, 12), Int(4), Int(3))
GRADIENT_CHECK(restrict_downwards, Double, downwards, InOut(double, 12), Int(4), Int(3))
GRADIENT_CHECK(restrict_back, Double, back_and_forth, InOut(double, 6), Int(2), Int(3))
GRADIENT_CHECK(restrict_mirrors, Double, mirrors, InOut(double, 6), Int(3))
GRADIENT_CHECK(restrict_nested, Double, nested, InOut(double, 6), Int(6))
