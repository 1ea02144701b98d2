// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adaptive Simpson quadrature by recursion on an error estimate.
#include "GradientCheck.h"
#include <math.h>

static double f(double t, double a) { return exp(-a * t * t) * sin(3 * t); }

static double simpson(double l, double r, double a) {
  return (r - l) / 6 * (f(l, a) + 4 * f(0.5 * (l + r), a) + f(r, a));
}

static double adapt(double l, double r, double whole, double a, int depth) {
  double m = 0.5 * (l + r), left = simpson(l, m, a), right = simpson(m, r, a);
  if (depth == 0 || fabs(left + right - whole) < 1e-5)
    return left + right;
  return adapt(l, m, left, a, depth - 1) + adapt(m, r, right, a, depth - 1);
}

static double integral(double a, double end) { return adapt(0, end, simpson(0, end, a), a, 8); }

GRADIENT_CHECK(adaptive_simpson, Double, integral, Scalar(double), ScalarRange(double, 1, 2))
