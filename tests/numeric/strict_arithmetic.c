// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that may change the rounding mode: all arithmetic is constrained (-frounding-math,
// -ffp-model=strict).
// Supports: `#pragma STDC FENV_ACCESS`, `-frounding-math`
#include "GradientCheck.h"
#include <math.h>
#pragma STDC FENV_ACCESS ON

static double strict(const double *x, double a, int n) {
  double sum = 0, product = 1;
  for (int i = 0; i < n; i++) {
    double v = x[i] * a - sum / (2 + x[i]);
    sum += sin(v) * sqrt(x[i]) + fma(v, a, x[i]);
    if (v > 0.5 && (int)(10 * v) % 2 == 0)
      product *= pow(x[i], a) + fmax(v, i);
    else
      product += exp(-v) + floor(v) * v;
  }
  return sum * product;
}

GRADIENT_CHECK(strict_arithmetic, Double, strict, In(double, 6), Scalar(double), Int(6))
