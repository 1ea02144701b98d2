// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gauss-Seidel in place, and conjugate gradients until the residual is small.
#include "GradientCheck.h"

static void gaussSeidel(const double *a, const double *b, double *x, int n) {
  for (int sweep = 0; sweep < 4; sweep++)
    for (int i = 0; i < n; i++) {
      double sum = b[i];
      for (int j = 0; j < n; j++)
        if (j != i)
          sum -= a[i * n + j] * x[j];
      x[i] = sum / (2 * n + a[i * n + i]);
    }
}

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

static double conjugateGradients(const double *a, const double *b, double *x, int n) {
  double r[6], p[6], q[6];
  for (int i = 0; i < n; i++) {
    x[i] = 0;
    p[i] = r[i] = b[i];
  }
  double rr = dot(r, r, n);
  for (int it = 0; it < n && rr > 1e-6; it++) {
    for (int i = 0; i < n; i++)
      q[i] = 5 * p[i] + a[i] * dot(a, p, n);
    double alpha = rr / dot(p, q, n);
    for (int i = 0; i < n; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    double next = dot(r, r, n), beta = next / rr;
    for (int i = 0; i < n; i++)
      p[i] = r[i] + beta * p[i];
    rr = next;
  }
  return dot(x, b, n);
}

GRADIENT_CHECK(gauss_seidel, Void, gaussSeidel, In(double, 16), In(double, 4), InOut(double, 4),
               Int(4))
GRADIENT_CHECK(conjugate_gradients, Double, conjugateGradients, In(double, 6), In(double, 6),
               Out(double, 6), Int(6))
