// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates in place: squares, a prefix product, a reversal.
// Supports: aliased arguments
#include "GradientCheck.h"

static double inplace(double *x, int n) {
  for (int i = 0; i < n; i++)
    x[i] = x[i] * x[i];
  for (int i = 1; i < n; i++)
    x[i] *= x[i - 1];
  for (int i = 0; i < n / 2; i++) {
    double t = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = t * t;
  }
  return x[0] + x[n - 1];
}

GRADIENT_CHECK(inplace, Double, inplace, InOut(double, 7), Int(7))
