// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A while loop that stops when an active sum passes a limit.
// Supports: loops whose number of iterations depends on data
#include "GradientCheck.h"

static double untilLimit(const double *x, double limit, int n) {
  double sum = 0, product = 1;
  int i = 0;
  while (sum < limit) {
    sum += x[i % n] * x[i % n];
    product *= 1 + 0.1 * x[i % n] * sum;
    i++;
  }
  return product;
}

GRADIENT_CHECK(while_data, Double, untilLimit, In(double, 6), ConstScalar(double), Int(6))
GRADIENT_CHECK(while_active_limit, Double, untilLimit, In(double, 6), ScalarRange(double, 8, 9),
               Int(6))
