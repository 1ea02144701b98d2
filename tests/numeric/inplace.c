// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates in place: squares, a prefix product, a reversal; rows, columns and a trajectory of one
// array that later iterations write, or never do.
// Supports: aliased arguments
#include "GradientCheck.h"
#include <math.h>

static double inplace(double *x, int n) {
  for (int i = 0; i < n; i++)
    x[i] = x[i] * x[i];
  for (int i = 1; i < n; i++)
    x[i] *= x[i - 1];
  for (int i = 0; i < n / 2; i++) {
    double t = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = t * t;
  }
  return x[0] + x[n - 1];
}

GRADIENT_CHECK(inplace, Double, inplace, InOut(double, 7), Int(7))

/// What is read was written before, and is not written again: but for row k + 1 in the last loop.
static double rows_and_columns(double *a, int n) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      a[i * n + k] /= 2 + a[k * n + k] * a[k * n + k];
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
  for (int j = n - 1; j >= 0; j--)
    for (int i = 0; i < j; i++)
      for (int k = j + 1; k < n; k++)
        a[i * n + j] += a[i * n + k] * a[j * n + k];
  for (int k = 0; k + 1 < n; k++)
    for (int j = 0; j < n; j++)
      a[k * n + j] *= a[(k + 1) * n + j] + a[(n - 1 - k) * n + j];
  double sum = 0;
  for (int i = 0; i < n * n; i++)
    sum += a[i] * a[i];
  return sum;
}

GRADIENT_CHECK(inplace_rows, Double, rows_and_columns, InOut(double, 36), Int(6))

static double trajectory(double *x, const double *w, const double *p, int steps, int d) {
  for (int t = 0; t + 1 < steps; t++)
    for (int i = 0; i < d; i++) {
      double s = p[t];
      for (int j = 0; j <= i; j++)
        s += w[i * d + j] * x[t * d + j];
      x[(t + 1) * d + i] = tanh(s) * x[t * d + i];
    }
  double sum = 0;
  for (int i = 0; i < steps * d; i++)
    sum += x[i] * x[i];
  return sum;
}

GRADIENT_CHECK(inplace_trajectory, Double, trajectory, InOut(double, 24), In(double, 16),
               In(double, 5), Int(6), Int(4))

/// The same step, twice each: what is read is written by the second one.
static double steps_again(double *x, int n) {
  for (int s = 0; s < 2; s++)
    for (int i = 1; i < n; i++)
      x[i] = sin(x[i - 1] * x[i]) + x[n - i];
  return x[n - 1] * x[n / 2];
}

GRADIENT_CHECK(inplace_again, Double, steps_again, InOut(double, 9), Int(9))
