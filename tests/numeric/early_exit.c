// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Returns from within nested loops.
// Supports: branches, `switch`, `goto`, early returns
#include "GradientCheck.h"

static double firstLarge(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (x[i] * x[j] > 1.5)
        return sum * x[i] + x[j];
      if (i == n - 1 && j > 2)
        return sum * sum;
      sum += x[i] * x[j];
    }
  return sum;
}

GRADIENT_CHECK(early_exit, Double, firstLarge, In(double, 6), Int(6))
GRADIENT_CHECK(early_exit_late, Double, firstLarge, InRange(double, 6, 0.1, 0.9), Int(6))
