// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fewer iterations than threads, none at all, and a region that does nothing.
// Supports: `parallel`, `parallel for`, `collapse`
#include "GradientCheck.h"

static double few(const double *x, double *y, int n) {
  double sum = 1;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    y[i] = 2 * x[i] * x[i];
    sum += y[i];
  }
#pragma omp parallel
  {
  }
  return sum;
}

GRADIENT_CHECK(empty_team_few, Double, few, In(double, 2), Out(double, 2), Int(2))
GRADIENT_CHECK(empty_team_none, Double, few, In(double, 2), InOut(double, 2), Int(0))
