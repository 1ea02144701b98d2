// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// break and continue at two levels.
// Supports: loops: nested, triangular, `while`, `do`, `break`, `continue`, zero trips, counters of any width
#include "GradientCheck.h"
#include <math.h>

static double f(const double *x, double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    if (i % 3 == 1)
      continue;
    for (int j = 0; j < n; j++) {
      if (x[j] < 0.6)
        continue;
      if (sum > 20)
        break;
      sum += sin(x[i]) * x[j];
      y[i] = y[i] * 0.5 + sum;
    }
    if (sum > 30)
      break;
    sum *= 1.1;
  }
  return sum;
}

GRADIENT_CHECK(break_continue, Double, f, In(double, 8), InOut(double, 8), Int(8))
