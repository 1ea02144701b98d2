// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recurrence whose previous values the reverse sweep needs.
#include "GradientCheck.h"

static double horner(const double *c, double x, int n) {
  double p = c[n - 1];
  for (int i = n - 2; i >= 0; i--)
    p = p * x + c[i];
  return p;
}

GRADIENT_CHECK(horner, Double, horner, In(double, 7), Scalar(double), Int(7))
