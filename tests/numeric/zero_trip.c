// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that do not run at all, or once, or not for some outer iterations.
// Supports: loops: nested, triangular, `while`, `do`, `break`, `continue`, zero trips, counters of any width
#include "GradientCheck.h"

static double maybe(const double *x, int n, int m) {
  double sum = 1;
  for (int i = 0; i < n; i++) {
    for (int j = i; j < m; j++)
      sum += sum * x[j];
    sum *= x[i];
  }
  return sum;
}

GRADIENT_CHECK(zero_trip_outer, Double, maybe, In(double, 4), Int(0), Int(4))
GRADIENT_CHECK(zero_trip_inner, Double, maybe, In(double, 4), Int(4), Int(0))
GRADIENT_CHECK(zero_trip_some, Double, maybe, In(double, 5), Int(5), Int(2))
GRADIENT_CHECK(one_trip, Double, maybe, In(double, 1), Int(1), Int(1))
