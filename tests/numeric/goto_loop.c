// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops made of goto, one of them entered in the middle.
// Supports: branches, `switch`, `goto`, early returns
#include "GradientCheck.h"

static double jumps(const double *x, int n) {
  int i = 0;
  double a = 1;
  if (x[0] > 0)
    goto middle;
top:
  a *= x[i];
middle:
  a += x[i] * x[i];
  i++;
  if (i < n)
    goto top;
again:
  a = a * 0.5 + 0.6 * x[0];
  if (a > 3)
    goto again;
  return a;
}

GRADIENT_CHECK(goto_loop, Double, jumps, In(double, 6), Int(6))
