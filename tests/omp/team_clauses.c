// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// if and num_threads decide the size of the team.
// Supports: clauses of `parallel`: `num_threads`, `if`, `private`, `firstprivate`
#include "GradientCheck.h"

static double clauses(const double *x, double *y, int n, int limit) {
#pragma omp parallel for if (n > limit)
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
  double sum = 0;
#pragma omp parallel for num_threads(3) reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += y[i] * x[n - 1 - i];
  return sum;
}

GRADIENT_CHECK(team_parallel, Double, clauses, In(double, 18), Out(double, 18), Int(18), Int(4))
GRADIENT_CHECK(team_serial, Double, clauses, In(double, 18), Out(double, 18), Int(18), Int(40))
