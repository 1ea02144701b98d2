// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of unknown length and early exits within iterations.
#include "GradientCheck.h"
#include <math.h>

static void roots(const double *x, double *y, int n) {
#pragma omp parallel for schedule(static, 2)
  for (int i = 0; i < n; i++) {
    double r = 1;
    while (fabs(r * r - x[i]) > 1e-13)
      r = 0.5 * (r + x[i] / r);
    for (int k = 0; k < n; k++) {
      if (k > i)
        break;
      r += 0.1 * r * x[k];
    }
    y[i] = r;
  }
}

GRADIENT_CHECK(while_inside, Void, roots, In(double, 15), Out(double, 15), Int(15))
