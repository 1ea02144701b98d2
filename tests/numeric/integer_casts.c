// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers made from active values, and active values scaled by integers.
#include "GradientCheck.h"

static double casts(const double *x, const double *table, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    int index = (int)(4 * x[i]);
    long wide = (long)(10 * x[i]) % 5;
    unsigned short narrow = (unsigned short)(3 * x[i] + i);
    double fraction = 4 * x[i] - index;
    sum += table[index] * (1 - fraction) + table[index + 1] * fraction + wide * x[i] + narrow;
  }
  return sum;
}

GRADIENT_CHECK(integer_casts, Double, casts, In(double, 9), In(double, 9), Int(9))
