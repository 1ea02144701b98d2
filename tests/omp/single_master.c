// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work done by one thread for all: single with its barrier, master with an explicit one.
// Supports: `single`, `master`, `sections`
#include "GradientCheck.h"
#include <math.h>

static void prepared(const double *x, double *y, int n) {
  double scale = 0;
#pragma omp parallel
  {
#pragma omp single
    {
      for (int i = 0; i < n; i++)
        scale += x[i];
      scale = 1 / scale;
    }
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = x[i] * scale;
#pragma omp master
    y[0] = sin(y[0]) * scale;
#pragma omp barrier
#pragma omp for
    for (int i = 1; i < n; i++)
      y[i] *= y[0];
  }
}

GRADIENT_CHECK(single_master, Void, prepared, In(double, 21), Out(double, 21), Int(21))
