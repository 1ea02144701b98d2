// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A counted loop within a while loop within a counted loop.
// Supports: loops: nested, triangular, `while`, `do`, `break`, `continue`, zero trips, counters of any width
#include "GradientCheck.h"

static double nested(const double *x, double *y, int n) {
  double total = 0;
  for (int r = 0; r < 3; r++) {
    double a = x[r];
    while (a < 4) {
      double s = 0;
      for (int i = 0; i < n; i++) {
        s += a * x[i] * 0.2;
        y[i] = y[i] * 0.9 + s * a;
      }
      a += 0.3 + s * 0.1;
    }
    total += a * y[r];
  }
  return total;
}

GRADIENT_CHECK(nested_while, Double, nested, In(double, 4), InOut(double, 4), Int(4))
