// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that test at the end.
// Supports: loops: nested, triangular, `while`, `do`, `break`, `continue`, zero trips, counters of any width
#include "GradientCheck.h"
#include <math.h>

static double repeat(double *x, int n) {
  int i = 0;
  double a = x[0];
  do {
    a = sqrt(a * a + x[i % n]);
    x[i % n] *= 0.5;
    i++;
  } while (a < 2 && i < 50);
  return a;
}

GRADIENT_CHECK(do_while, Double, repeat, InOut(double, 4), Int(4))
