// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that loops hand from one iteration to the next: a swap, a Fibonacci-like pair, a ring.
#include "GradientCheck.h"

static double carried(const double *x, int n) {
  double a = x[0], b = x[1], ring[3] = {1, 2, 3};
  for (int i = 0; i < n; i++) {
    double c = a * 0.5 + b * x[i];
    a = b;
    b = c;
    ring[i % 3] = 0.2 * ring[(i + 1) % 3] * a + x[i];
    if (i % 4 == 3) {
      double t = a;
      a = b;
      b = t;
    }
  }
  return a * ring[0] + b * ring[1] * ring[2];
}

GRADIENT_CHECK(carried_values, Double, carried, In(double, 9), Int(9))
