// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs written several times, read in between, and finally by a constant.
#include "GradientCheck.h"

static void rewrite(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++)
    y[i] = x[i];
  for (int i = 0; i < n; i++)
    y[i] = y[i] * y[(i + 1) % n];
  for (int i = 0; i < n; i += 3)
    y[i] = 1;
  y[1] = x[0] * x[0];
  y[1] = x[2];
}

GRADIENT_CHECK(overwritten_outputs, Void, rewrite, In(double, 7), Out(double, 7), Int(7))
GRADIENT_CHECK(dupnoneed_outputs, Void, rewrite, In(double, 7), NoNeed(double, 7), Int(7))
