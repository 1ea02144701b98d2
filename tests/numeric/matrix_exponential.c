// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp(A) by its series and repeated squaring: small matrices that the optimiser takes apart.
// Supports: loops: nested, triangular, `while`, `do`, `break`, `continue`, zero trips, counters of any width
#include "GradientCheck.h"
#include <string.h>

enum { Order = 3 };

static void multiply(double a[Order][Order], double b[Order][Order], double c[Order][Order]) {
  double t[Order][Order];
  for (int i = 0; i < Order; i++)
    for (int j = 0; j < Order; j++) {
      t[i][j] = 0;
      for (int k = 0; k < Order; k++)
        t[i][j] += a[i][k] * b[k][j];
    }
  memcpy(c, t, sizeof t);
}

static double exponential(const double *x, int n) {
  double a[Order][Order], e[Order][Order] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, t[Order][Order];
  memcpy(t, e, sizeof e);
  for (int i = 0; i < Order; i++)
    for (int j = 0; j < Order; j++)
      a[i][j] = x[(i + 2 * j) % n] * 0.25;
  for (int k = 1; k < 15; k++) {
    multiply(t, a, t);
    for (int i = 0; i < Order; i++)
      for (int j = 0; j < Order; j++) {
        t[i][j] /= k;
        e[i][j] += t[i][j];
      }
  }
  multiply(e, e, e);
  multiply(e, e, e);
  return e[0][0] + e[1][2] * e[2][0];
}

GRADIENT_CHECK(matrix_exponential, Double, exponential, In(double, 6), Int(6))
