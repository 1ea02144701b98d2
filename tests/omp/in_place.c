// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates in place whose old values the reverse sweep needs, in a region that runs several times.
#include "GradientCheck.h"

static void squares(double *x, int n, int steps) {
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] = x[i] * x[i] - 0.3 * x[i];
  }
}

GRADIENT_CHECK(in_place, Void, squares, InOut(double, 30), Int(30), Int(4))
