// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers and conflict-free scatters through index arrays; a sparse product.
// Supports: gathers and scatters through indices
#include "GradientCheck.h"

static void gather(const double *x, double *y, int n) {
  int order[32];
  for (int i = 0; i < n; i++)
    order[i] = (7 * i + 2) % n;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[order[i]] = x[order[(i + 1) % n]] * x[i] * x[0];
}

static void sparse(const double *a, const double *x, double *y, int n) {
  int start[17], column[64];
  for (int i = 0; i <= n; i++)
    start[i] = 3 * i;
  for (int k = 0; k < 3 * n; k++)
    column[k] = (5 * k + 1) % n;
#pragma omp parallel for schedule(dynamic, 2)
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      sum += a[k] * x[column[k]];
    y[i] = sum;
  }
}

GRADIENT_CHECK(indirect_gather, Void, gather, In(double, 24), Out(double, 24), Int(24))
GRADIENT_CHECK(indirect_sparse, Void, sparse, In(double, 48), In(double, 16), Out(double, 16),
               Int(16))
