// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two functions that call each other, with an active result and an active argument by pointer.
// Supports: functions, recursion, mutual recursion
#include "GradientCheck.h"
#include <math.h>

static double odd(double *x, int n, double carry);

static double even(double *x, int n, double carry) {
  if (n == 0)
    return carry;
  x[n - 1] *= 0.5 * carry;
  return odd(x, n - 1, carry + x[n - 1]);
}

static double odd(double *x, int n, double carry) {
  if (n == 0)
    return carry * carry;
  x[n - 1] = sin(x[n - 1]) + carry;
  return 0.5 * even(x, n - 1, 0.3 * carry * x[n - 1]) + carry;
}

static double start(double *x, int n) { return even(x, n, x[0]); }

GRADIENT_CHECK(recursion_mutual, Double, start, InOut(double, 7), Int(7))
