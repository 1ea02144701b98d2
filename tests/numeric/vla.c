// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array on the stack whose length is known at run time only.
// Supports: stack, heap and variable-length arrays
#include "GradientCheck.h"

static double scan(const double *x, int n) {
  double total = 0;
  for (int m = 1; m <= n; m++) {
    double prefix[m];
    prefix[0] = x[0];
    for (int i = 1; i < m; i++)
      prefix[i] = prefix[i - 1] * x[i] + 0.2;
    for (int i = 0; i < m; i++)
      total += prefix[i] * prefix[m - 1 - i];
  }
  return total;
}

GRADIENT_CHECK(vla, Double, scan, In(double, 6), Int(6))
