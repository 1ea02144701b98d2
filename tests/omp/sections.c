// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that touch separate halves.
// Supports: `single`, `master`, `sections`
#include "GradientCheck.h"

static void halves(const double *x, double *y, int n) {
#pragma omp parallel sections
  {
#pragma omp section
    for (int i = 0; i < n / 2; i++)
      y[i] = x[i] * x[n - 1 - i];
#pragma omp section
    for (int i = n / 2; i < n; i++)
      y[i] = x[i] + x[0] * x[i];
  }
}

GRADIENT_CHECK(sections, Void, halves, In(double, 16), Out(double, 16), Int(16))
