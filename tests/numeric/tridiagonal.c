// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Thomas algorithm with temporaries on the heap.
#include "GradientCheck.h"
#include <stdlib.h>

static void thomas(const double *a, const double *b, const double *c, double *d, int n) {
  double *upper = malloc(n * sizeof *upper);
  upper[0] = c[0] / (3 + b[0]);
  d[0] /= 3 + b[0];
  for (int i = 1; i < n; i++) {
    double m = 1 / (3 + b[i] - a[i] * upper[i - 1]);
    upper[i] = c[i] * m;
    d[i] = (d[i] - a[i] * d[i - 1]) * m;
  }
  for (int i = n - 2; i >= 0; i--)
    d[i] -= upper[i] * d[i + 1];
  free(upper);
}

GRADIENT_CHECK(tridiagonal, Void, thomas, In(double, 8), In(double, 8), In(double, 8),
               InOut(double, 8), Int(8))
