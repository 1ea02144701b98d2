// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop and a reduction in single precision.
#include "GradientCheck.h"

static float norm(const float *x, float *y, int n) {
  float sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * x[i];
    sum += y[i] * x[i];
  }
  return sum;
}

GRADIENT_CHECK(single_precision, Float, norm, In(float, 26), Out(float, 26), Int(26))
