// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worksharing loop over independent iterations.
// Supports: `parallel`, `parallel for`, `collapse`
#include "GradientCheck.h"
#include <math.h>

static void map(const double *x, double *y, double a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = sin(a * x[i]) * exp(-x[i]);
}

GRADIENT_CHECK(parallel_for, Void, map, In(double, 37), Out(double, 37), ConstScalar(double),
               Int(37))
