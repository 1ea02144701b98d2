// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that run alone because their condition is false, within regions of several threads: their
// barriers are their own in the reverse sweep, too.
// Supports: regions that an if clause has run alone within other regions
#include "GradientCheck.h"
#include <omp.h>

static void inner(double *x, double *y, int n, int many) {
#pragma omp parallel if (many)
  {
#pragma omp for
    for (int i = 1; i < n; i++)
      y[i] = x[i] * x[i - 1];
#pragma omp for
    for (int i = 1; i < n; i++)
      x[i] = y[i] * y[i];
  }
}

/// One thread runs a region of its own.
static void by_one(double *x, double *y, int n) {
#pragma omp parallel
  {
#pragma omp master
    inner(x, y, n, n > 100);
#pragma omp barrier
#pragma omp for
    for (int i = 1; i < n; i++)
      y[i] += x[i] * x[i - 1];
  }
}

/// Every thread runs one, and all of them read x.
static void by_all(const double *x, double *y, int n, int most) {
#pragma omp parallel
  for (int b = omp_get_thread_num(); b < most; b += omp_get_num_threads()) {
    double *mine = y + b * n;
#pragma omp parallel if (n > 100)
    {
#pragma omp for
      for (int i = 1; i < n; i++)
        mine[i] += x[i] * x[i - 1];
#pragma omp for
      for (int i = 1; i < n; i++)
        mine[i] *= mine[i] * x[n - i];
    }
  }
}

GRADIENT_CHECK(alone_by_one, Void, by_one, InOut(double, 9), InOut(double, 9), Int(9))
GRADIENT_CHECK(alone_by_all, Void, by_all, In(double, 9), InOut(double, 54), Int(9), Int(6))
