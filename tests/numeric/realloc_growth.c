// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A growing array: realloc from null, growing, shrinking; rows of pointers that grow as well.
// Supports: `realloc`, `qsort`, `bsearch`
#include "GradientCheck.h"
#include <stdlib.h>

static double grow(const double *x, double a, int n) {
  double *v = NULL;
  double **rows = NULL;
  int capacity = 0;
  for (int i = 0; i < n; ++i) {
    if (i == capacity) {
      capacity = capacity ? 2 * capacity : 2;
      v = realloc(v, capacity * sizeof *v);
      rows = realloc(rows, capacity * sizeof *rows);
    }
    v[i] = x[i] * a;
    rows[i] = malloc(sizeof(double));
    *rows[i] = x[i] * x[i];
    v[i / 2] *= 1.5;
  }
  v = realloc(v, n * sizeof *v);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += v[i] * v[i] * *rows[i];
    free(rows[i]);
  }
  free(rows);
  free(v);
  return s;
}

GRADIENT_CHECK(realloc_growth, Double, grow, In(double, 9), Scalar(double), Int(9))
