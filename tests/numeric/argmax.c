// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The position of the largest value, then the value and its neighbours.
#include "GradientCheck.h"

static double peak(const double *x, int n) {
  int at = 1;
  for (int i = 1; i < n - 1; i++)
    if (x[i] > x[at])
      at = i;
  double a = x[at - 1], b = x[at], c = x[at + 1];
  double shift = 0.5 * (a - c) / (a - 2 * b + c - 1);
  return b - 0.25 * (a - c) * shift;
}

GRADIENT_CHECK(argmax, Double, peak, In(double, 12), Int(12))
