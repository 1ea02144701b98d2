// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything in single precision.
// Supports: `float`, `double` and mixtures
#include "GradientCheck.h"
#include <math.h>

static float norm(const float *x, float *y, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++) {
    y[i] = sinf(x[i]) * expf(-x[i]);
    sum += y[i] * x[i];
  }
  return sqrtf(sum) + powf(x[0], 1.5f);
}

GRADIENT_CHECK(float_arrays, Float, norm, In(float, 8), Out(float, 8), Int(8))
