// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An update in place, with and without restrict.
#include "GradientCheck.h"

static void axpy(double a, const double *x, double *y, int n) {
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}

static void axpyRestrict(double a, const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}

GRADIENT_CHECK(axpy, Void, axpy, Scalar(double), In(double, 9), InOut(double, 9), Int(9))
GRADIENT_CHECK(axpy_restrict, Void, axpyRestrict, Scalar(double), In(double, 9), InOut(double, 9),
               Int(9))
