// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that may look at the rounding mode and the exception flags: every operation is a constrained
// one.
// Supports: `#pragma STDC FENV_ACCESS`, `-frounding-math`, `-ftrapping-math`
#include "GradientCheck.h"
#include <fenv.h>
#include <math.h>

#pragma STDC FENV_ACCESS ON

static double scaled(double x, float y) { return x * y - x / (1.5 + x * x); }

static double strict(const double *x, double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    const int k = (int)(4 * fabs(x[i]));
    y[i] = scaled(x[i], 0.5f) + k * x[i] + sin(y[i]);
    if (y[i] > 0.25 || x[i] != x[i])
      s += sqrt(1 + y[i] * y[i]) * (unsigned)(i + 1);
    else
      s -= fma(x[i], y[i], pow(1.5 + y[i] * y[i], x[i])) + floor(x[i]);
    s = fmax(s, -20.0) + remainder(x[i], 2.0) + ldexp(y[i], 1);
  }
  return s;
}

static double rounded(const double *x, int n) {
  const int before = fegetround();
  fesetround(FE_UPWARD);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += exp(-x[i] * x[i]) / 3.0;
  fesetround(before);
  return s;
}

GRADIENT_CHECK(strict_floats, Double, strict, In(double, 6), InOut(double, 6), Int(6))
GRADIENT_CHECK(strict_rounding, Double, rounded, In(double, 6), Int(6))
