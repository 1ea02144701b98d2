// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Active arguments that nothing depends on: their shadows stay as they are.
#include "GradientCheck.h"

static double partial(const double *x, const double *unused, double a, double ignored, int n) {
  (void)unused;
  (void)ignored;
  double sum = 0;
  for (int i = 0; i < n; i += 2)
    sum += a * x[i] * x[i];
  return sum;
}

static double constantResult(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] > 1 ? 2 : 3;
  return 4;
}

GRADIENT_CHECK(unused_arguments, Double, partial, In(double, 6), In(double, 3), Scalar(double),
               Scalar(double), Int(6))
GRADIENT_CHECK(constant_result, Double, constantResult, In(double, 4), Out(double, 4), Int(4))
