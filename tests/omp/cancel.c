// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancellation: the derivative is that of the iterations that ran.
// Supports: `cancel`, `cancellation point`
#include "GradientCheck.h"

// The only iteration that counts ends the loop.
static double found(const double *x, int n, int where) {
  double s = 0;
#pragma omp parallel reduction(+ : s)
  {
#pragma omp for
    for (int i = 0; i < n; i++) {
      if (i == where) {
        s += x[i] * x[i];
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for
    for (int i = 0; i < n; i++)
      s += x[i] * x[n - 1 - i];
  }
  return s;
}

static double never(const double *x, int n) {
  double s = 0, t = 0, u[2] = {0, 0};
#pragma omp parallel
  {
#pragma omp for reduction(+ : s)
    for (int i = 0; i < n; i++) {
      s += x[i] * x[i];
#pragma omp cancel for if (n < 0)
    }
#pragma omp sections
    {
#pragma omp section
      {
        u[0] = x[0] * x[0];
#pragma omp cancel sections if (n < 0)
      }
#pragma omp section
      u[1] = x[1] * x[2];
    }
#pragma omp cancel parallel if (n < 0)
#pragma omp single
    t = s * u[0];
  }
  return t * u[1];
}

GRADIENT_CHECK(cancel_found, Double, found, In(double, 13), Int(13), Int(5))
GRADIENT_CHECK(cancel_never, Double, never, In(double, 13), Int(13))
