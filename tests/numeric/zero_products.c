// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of many factors, some of which are exactly zero.
// Supports: libm and its conventions
#include "GradientCheck.h"

static double products(const double *x, const double *mask, int n) {
  double all = 1, sum = 0;
  for (int i = 0; i < n; i++) {
    double m = mask[i] > 1 ? 1 : 0;
    sum += m * x[i] * x[i];
    all *= i == 2 ? x[i] - x[i] + 0 * x[0] : x[i];
  }
  return all + sum;
}

GRADIENT_CHECK(zero_products, Double, products, In(double, 6), Const(double, 6), Int(6))
