// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// float and double with conversions both ways, accumulated in double.
// Supports: `float`, `double` and mixtures
#include "GradientCheck.h"
#include <math.h>

static double mixed(const float *x, const double *w, float *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    float t = x[i] * (float)w[i];
    y[i] = t * t;
    sum += exp((double)t) * w[i] + y[i];
  }
  return sum;
}

GRADIENT_CHECK(mixed_precision, Double, mixed, In(float, 7), In(double, 7), Out(float, 7), Int(7))
