// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction over two arrays.
#include "GradientCheck.h"

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

GRADIENT_CHECK(dot, Double, dot, In(double, 11), In(double, 11), Int(11))
