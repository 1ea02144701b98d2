// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by what would be infinite, behind a test that the optimiser turns into a select.
// Supports: libm and its conventions
#include "GradientCheck.h"

#include <math.h>

static int inverse(double v, double *r) {
  if (fabs(v) < 1e-9)
    return 0;
  *r = 1 / v;
  return 1;
}
static double quotients(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double r;
    if (inverse(x[i] - (i == 3 ? x[3] : 0), &r))
      sum += r * x[i];
    else
      sum += x[i] * x[i];
  }
  return sum;
}
// What is compared may be computed twice, with another last bit.
static double smallest(const double *x, const double *y, int n) {
#pragma clang fp reciprocal(on)
  double s = 0;
  for (int i = 0; i < n; i++) {
    double l = 0.3 * x[i];
    l = 0.5 * l + 0.3 * sin(exp(-fabs(1.7 - x[i])));
    l = tanh(fmin(0.9 * x[0] / (1.5 + cos(y[i])), atan(l)));
    s += tanh(l) * (i + 1);
  }
  return s;
}

GRADIENT_CHECK(guarded_quotients, Double, quotients, In(double, 6), Int(6))

// Distances of points to each other: that of a point to itself is not used.
static double potential(const double *x, double k, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double d = x[i] - x[j], inverse_square = k / (d * d + (i > j ? 0.25 : 0.0));
      sum += i > j ? inverse_square * inverse_square * (d * d + 1) * x[j] : x[i];
    }
  return sum;
}
GRADIENT_CHECK(guarded_pairs, Double, potential, In(double, 5), Scalar(double), Int(5))

static double logarithms(const double *x, const double *mask, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double m = mask[i] > 1 ? x[i] : 0;
    sum += m > 0 ? m * log(m) * x[i] : x[i];
  }
  return sum;
}
GRADIENT_CHECK(guarded_logarithms, Double, logarithms, In(double, 8), Const(double, 8), Int(8))

// A root is cheap enough to be taken where it is not used (without errno).
static double roots(double x, double y) {
  const double h = x - y;
  return h > 0 ? h * __builtin_elementwise_sqrt(h) : h;
}
// Where it is used the argument of the sine is a number.
static double oscillation(double x, double y) {
  const double wave = sin(__builtin_elementwise_sqrt(x - y));
  return x > y ? wave * x : y;
}
GRADIENT_CHECK(guarded_functions, Double, oscillation, ScalarRange(double, 1, 2),
               ScalarRange(double, 2.5, 3))
GRADIENT_CHECK(guarded_roots, Double, roots, Scalar(double), Scalar(double))
GRADIENT_CHECK(fast_extremes, Double, smallest, In(double, 8), In(double, 8), Int(8))
