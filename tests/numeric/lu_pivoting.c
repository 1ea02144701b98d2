// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU with row exchanges decided by active values, then a solve.
#include "GradientCheck.h"
#include <math.h>

static void solve(double *a, double *b, int n) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
        pivot = i;
    if (pivot != k) {
      for (int j = 0; j < n; j++) {
        double t = a[k * n + j];
        a[k * n + j] = a[pivot * n + j];
        a[pivot * n + j] = t;
      }
      double t = b[k];
      b[k] = b[pivot];
      b[pivot] = t;
    }
    for (int i = k + 1; i < n; i++) {
      double m = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++)
        a[i * n + j] -= m * a[k * n + j];
      b[i] -= m * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      b[i] -= a[i * n + j] * b[j];
    b[i] /= a[i * n + i];
  }
}

static double wellConditioned(const double *x, double *b, double *a, int n) {
  for (int i = 0; i < n * n; i++)
    a[i] = x[i];
  for (int i = 0; i < n; i++)
    a[i * n + (i + 2) % n] += 3 + i;
  solve(a, b, n);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += b[i] * b[i];
  return sum;
}

GRADIENT_CHECK_BOUND(1e-11, lu_pivoting, Double, wellConditioned, In(double, 25), InOut(double, 5),
                     Out(double, 25), Int(5))
