// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays on the stack, within a loop, of one and two dimensions.
// Supports: stack, heap and variable-length arrays
#include "GradientCheck.h"

static double smooth(const double *x, int n) {
  double total = 0;
  for (int i = 0; i + 4 <= n; i++) {
    double window[4], table[4][4];
    for (int k = 0; k < 4; k++)
      window[k] = x[i + k] * x[i + k];
    for (int k = 0; k < 4; k++)
      for (int l = 0; l < 4; l++)
        table[k][l] = window[k] - window[l] * x[i];
    for (int k = 1; k < 4; k++)
      window[k] += window[k - 1] * table[k][3 - k];
    total += window[3];
  }
  return total;
}

GRADIENT_CHECK(stack_array, Double, smooth, In(double, 9), Int(9))
