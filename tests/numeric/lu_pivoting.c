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

// As translated from Fortran: arrays begin at one, and local variables are static.
static void factorise(double *a, const int *lead, const int *order, int *pivots) {
  const int columns = *lead, offset = 1 + columns;
  a -= offset;
  --pivots;
  static int j, k;
  for (k = 1; k <= *order - 1; ++k) {
    int l = k;
    for (j = k + 1; j <= *order; ++j)
      if (fabs(a[j + k * columns]) > fabs(a[l + k * columns]))
        l = j;
    pivots[k] = l;
    if (l != k) {
      const double t = a[l + k * columns];
      a[l + k * columns] = a[k + k * columns];
      a[k + k * columns] = t;
    }
    double t = -1 / a[k + k * columns];
    for (j = k + 1; j <= *order; ++j)
      a[j + k * columns] *= t;
    for (j = k + 1; j <= *order; ++j) {
      t = a[l + j * columns];
      if (l != k) {
        a[l + j * columns] = a[k + j * columns];
        a[k + j * columns] = t;
      }
      for (int i = k + 1; i <= *order; ++i)
        a[i + j * columns] += t * a[i + k * columns];
    }
  }
  pivots[*order] = *order;
}

static void substitute(double *a, const int *lead, const int *order, int *pivots, double *b) {
  const int columns = *lead, offset = 1 + columns;
  a -= offset;
  --pivots;
  --b;
  for (int k = 1; k <= *order - 1; ++k) {
    const int l = pivots[k];
    const double t = b[l];
    if (l != k) {
      b[l] = b[k];
      b[k] = t;
    }
    for (int j = k + 1; j <= *order; ++j)
      b[j] += t * a[j + k * columns];
  }
  for (int back = 1; back <= *order; ++back) {
    const int k = *order + 1 - back;
    b[k] /= a[k + k * columns];
    const double t = -b[k];
    for (int j = 1; j <= k - 1; ++j)
      b[j] += t * a[j + k * columns];
  }
}

static double fromFortran(double x) {
  double a[9] = {.1 + x, 3, 1, 2, x, 1, x * x, 1, 4}, b[3] = {1, x, 2};
  int pivots[3], n = 3;
  factorise(a, &n, &n, pivots);
  substitute(a, &n, &n, pivots, b);
  return b[0] + b[1] * b[2];
}

GRADIENT_CHECK_BOUND(1e-11, lu_pivoting, Double, wellConditioned, In(double, 25), InOut(double, 5),
                     Out(double, 25), Int(5))
GRADIENT_CHECK(lu_from_fortran, Double, fromFortran, Scalar(double))
