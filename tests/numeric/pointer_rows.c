// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix as pointers to rows, rows exchanged by swapping pointers.
// Supports: structures, arrays of them, pointers to pointers, linked lists
#include "GradientCheck.h"
#include <stdlib.h>

static double rows(const double *x, int n) {
  double **a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) {
    a[i] = malloc(n * sizeof **a);
    for (int j = 0; j < n; j++)
      a[i][j] = x[i] * x[j] + i;
  }
  for (int i = 0; i + 1 < n; i++) {
    double *t = a[i];
    a[i] = a[i + 1];
    a[i + 1] = t;
    a[i][i] *= a[i + 1][i];
  }
  double trace = 0;
  for (int i = 0; i < n; i++) {
    trace += a[i][i] * a[i][n - 1 - i];
    free(a[i]);
  }
  free(a);
  return trace;
}

GRADIENT_CHECK(pointer_rows, Double, rows, In(double, 5), Int(5))
