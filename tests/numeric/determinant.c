// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expansion by minors: recursion with loops, a list of free columns.
#include "GradientCheck.h"

static double minors(const double *a, int n, int row, unsigned used) {
  if (row == n)
    return 1;
  double sum = 0, sign = 1;
  for (int j = 0; j < n; j++) {
    if (used & (1u << j))
      continue;
    sum += sign * a[row * n + j] * minors(a, n, row + 1, used | (1u << j));
    sign = -sign;
  }
  return sum;
}

static double determinant(const double *a, int n) { return minors(a, n, 0, 0); }

GRADIENT_CHECK(determinant, Double, determinant, In(double, 16), Int(4))
