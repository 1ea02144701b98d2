// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function called with all, some and none of its arguments active.
#include "GradientCheck.h"
#include <math.h>

__attribute__((noinline)) static double mix(double a, double b, double *out) {
  *out = a * sin(b);
  return a + b * b;
}

static double caller(double x, double y, const double *table) {
  double p, q, r, s;
  double sum = mix(x, y, &p) * mix(x, 2.0, &q) + mix(3.0, y, &r);
  double constant = mix(table[0], table[1], &s);
  return sum * constant + p * q - r / s;
}

GRADIENT_CHECK(noinline_activities, Double, caller, Scalar(double), Scalar(double),
               Const(double, 2))
