// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several returns, some before anything active was done.
// Supports: branches, `switch`, `goto`, early returns
#include "GradientCheck.h"

__attribute__((noinline)) static double classify(const double *x, int i) {
  if (i == 0)
    return 0;
  if (x[i] < 0.7)
    return x[i];
  double t = x[i] * x[i - 1];
  if (t > 1.2)
    return t * t;
  t += x[i];
  return t / x[i - 1];
}

static double total(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += classify(x, i) * x[0];
  return sum;
}

GRADIENT_CHECK(early_return, Double, total, In(double, 16), Int(16))
