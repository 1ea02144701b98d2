// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursion with two calls per level over halves of an array.
// Supports: functions, recursion, mutual recursion
#include "GradientCheck.h"
#include <math.h>

static double combine(double *x, int n) {
  if (n == 1)
    return x[0] * x[0];
  double left = combine(x, n / 2), right = combine(x + n / 2, n - n / 2);
  x[0] += 0.1 * right;
  return sqrt(left * left + right) + x[n - 1];
}

GRADIENT_CHECK(recursion_tree, Double, combine, InOut(double, 11), Int(11))
