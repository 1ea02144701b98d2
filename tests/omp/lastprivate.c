// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of the sequentially last iteration survives.
// Supports: `lastprivate`
#include "GradientCheck.h"

static double last(const double *x, double *y, int n) {
  double t = 0;
#pragma omp parallel for lastprivate(t)
  for (int i = 0; i < n; i++) {
    t = x[i] * x[i];
    y[i] = t + x[i];
  }
  return t * t;
}

GRADIENT_CHECK(lastprivate, Double, last, In(double, 19), Out(double, 19), Int(19))
