// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two loops in one region, the second reads what other threads wrote in the first.
// Supports: `barrier`, `nowait`
#include "GradientCheck.h"

static void phases(const double *x, double *y, double *z, int n) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      y[i] = x[i] * x[i];
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; i++)
      z[i] = y[n - 1 - i] * x[i];
  }
}

GRADIENT_CHECK(barrier, Void, phases, In(double, 26), Out(double, 26), Out(double, 26), Int(26))
