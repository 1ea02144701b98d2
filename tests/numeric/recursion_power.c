// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursion with one call per level.
// Supports: functions, recursion, mutual recursion
#include "GradientCheck.h"

static double power(double x, int n) {
  if (n == 0)
    return 1;
  if (n % 2)
    return x * power(x, n - 1);
  double half = power(x, n / 2);
  return half * half;
}

GRADIENT_CHECK(recursion_power, Double, power, Scalar(double), Int(13))
