// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What OpenMP 6.0 has added; programs without it where an earlier version is compiled for.
// Supports: OpenMP 6.0: `reverse`, `interchange`, `stripe`, `fuse`, `num_threads(strict: ...)`
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>

#if _OPENMP >= 202411
#define SIX(words) _Pragma(#words)
#else
#define SIX(words)
#endif

static void reversed(const double *x, double *y, int n) {
#pragma omp parallel for
  SIX(omp reverse)
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
#pragma omp parallel for schedule(dynamic, 2)
  SIX(omp reverse)
  for (int i = 1; i < n; i += 2)
    y[i] *= x[i - 1];
}

// Serially, the order matters.
static double carried(const double *x, int n) {
  double s = 1;
  SIX(omp reverse)
  for (int i = 0; i < n; i++)
    s = sin(s * x[i]) + x[i];
  return s;
}

static void interchanged(const double *x, double *y, int n, int m) {
#pragma omp parallel for
  SIX(omp interchange)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[m * i + j] = x[m * i + j] * x[j];
#pragma omp parallel for collapse(2)
  SIX(omp interchange permutation(2, 1))
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[m * i + j] += x[m * i + j] * x[i];
}

static void striped(const double *x, double *y, int n, int m) {
#pragma omp parallel for
  SIX(omp stripe sizes(3))
  for (int i = 0; i < n * m; i++)
    y[i] = x[i] * x[n * m - 1 - i];
#pragma omp parallel for collapse(2)
  SIX(omp stripe sizes(2, 2))
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[m * i + j] *= x[i] + x[j];
}

static void fused(const double *x, double *y, double *z, int n) {
  SIX(omp parallel for)
  SIX(omp fuse) {
    for (int i = 0; i < n; i++)
      y[i] = x[i] * x[i];
    for (int j = 0; j < n; j++)
      z[j] = x[j] * x[n - 1 - j];
  }
}

#if _OPENMP >= 202411
#define EXACTLY(k) num_threads(strict : k)
#else
#define EXACTLY(k) num_threads(k)
#endif

static double exact(const double *x, int n) {
  double s = 0;
#pragma omp parallel for EXACTLY(3) reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += x[i] * x[i];
#pragma omp parallel for EXACTLY(2) reduction(+ : s) if (n > 5)
  for (int i = 0; i < n; i++)
    s += x[i] * sin(x[i]);
  return s;
}

GRADIENT_CHECK(six_reverse, Void, reversed, In(double, 11), Out(double, 11), Int(11))
GRADIENT_CHECK(six_carried, Double, carried, In(double, 11), Int(11))
GRADIENT_CHECK(six_interchange, Void, interchanged, In(double, 12), Out(double, 12), Int(3), Int(4))
GRADIENT_CHECK(six_stripe, Void, striped, In(double, 12), Out(double, 12), Int(3), Int(4))
GRADIENT_CHECK(six_fuse, Void, fused, In(double, 11), Out(double, 11), Out(double, 11), Int(11))
GRADIENT_CHECK(six_exact, Double, exact, In(double, 11), Int(11))
