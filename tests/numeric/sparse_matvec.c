// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse matrix-vector product: indirect reads, and its transpose: indirect updates.
#include "GradientCheck.h"

static void structure(int n, int *start, int *column) {
  int at = 0;
  for (int i = 0; i < n; i++) {
    start[i] = at;
    for (int k = 0; k <= i % 3; k++)
      column[at++] = (5 * i + 2 * k) % n;
  }
  start[n] = at;
}

static void product(const double *a, const double *x, double *y, int n) {
  int start[8], column[21];
  structure(n, start, column);
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      sum += a[k] * x[column[k]];
    y[i] = sum;
  }
}

static void transposed(const double *a, const double *x, double *y, int n) {
  int start[8], column[21];
  structure(n, start, column);
  for (int i = 0; i < n; i++)
    for (int k = start[i]; k < start[i + 1]; k++)
      y[column[k]] += a[k] * x[i] * y[i];
}

GRADIENT_CHECK(sparse_matvec, Void, product, In(double, 21), In(double, 7), Out(double, 7), Int(7))
GRADIENT_CHECK(sparse_transposed, Void, transposed, In(double, 21), In(double, 7), InOut(double, 7),
               Int(7))
