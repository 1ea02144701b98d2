// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inner bounds that depend on the outer index.
// Supports: loops: nested, triangular, `while`, `do`, `break`, `continue`, zero trips, counters of any width
#include "GradientCheck.h"
#include <math.h>

static double pairs(const double *x, int n) {
  double energy = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      double d = x[i] - 2 * x[j];
      for (int k = i; k <= j; k += 2)
        energy += exp(-d * d) * x[k];
    }
  return energy;
}

GRADIENT_CHECK(triangular_loops, Double, pairs, In(double, 7), Int(7))
