// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that work on blocks of a matrix: what a nest reads over and over is copied once, and what a
// task writes is its own. The check at run time fails in some of them.
// Supports: tasks over blocks of matrices, without atomics in the inner loops
#include "GradientCheck.h"
#include <math.h>

// Blocked LU in one matrix: blocks beside each other are columns apart, those above each other
// rows.
static void factor(double *a, int n, int b) {
  for (int k = 0; k < b; k++)
    for (int i = k + 1; i < b; i++) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < b; j++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

static void lower(const double *l, double *a, int n, int b) {
  for (int k = 0; k < b; k++)
    for (int i = k + 1; i < b; i++)
      for (int j = 0; j < b; j++)
        a[i * n + j] -= l[i * n + k] * a[k * n + j];
}

static void upper(const double *u, double *a, int n, int b) {
  for (int i = 0; i < b; i++)
    for (int k = 0; k < b; k++) {
      a[i * n + k] /= u[k * n + k];
      for (int j = k + 1; j < b; j++)
        a[i * n + j] -= a[i * n + k] * u[k * n + j];
    }
}

static void update(const double *x, const double *y, double *c, int n, int b) {
  for (int i = 0; i < b; i++)
    for (int k = 0; k < b; k++)
      for (int j = 0; j < b; j++)
        c[i * n + j] -= x[i * n + k] * y[k * n + j];
}

static void blockedLu(double *a, int n, int b) {
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < n; k += b) {
#pragma omp task depend(inout : a[k * n + k])
    factor(a + k * n + k, n, b);
    for (int j = k + b; j < n; j += b) {
#pragma omp task depend(in : a[k * n + k]) depend(inout : a[k * n + j])
      lower(a + k * n + k, a + k * n + j, n, b);
#pragma omp task depend(in : a[k * n + k]) depend(inout : a[j * n + k])
      upper(a + k * n + k, a + j * n + k, n, b);
    }
    for (int i = k + b; i < n; i += b)
      for (int j = k + b; j < n; j += b) {
#pragma omp task depend(in : a[i * n + k], a[k * n + j]) depend(inout : a[i * n + j])
        update(a + i * n + k, a + k * n + j, a + i * n + j, n, b);
      }
  }
}

static double lu(const double *x, int n, int b) {
  double a[225], s = 0;
  for (int i = 0; i < n * n; i++)
    a[i] = x[i % 12] * sin(i) + (i % (n + 1) == 0 ? 9 : 0);
  blockedLu(a, n, b);
  for (int i = 0; i < n * n; i++)
    s += a[i] * cos(i);
  return s;
}

// Triangles: inner loops whose counts depend on outer ones.
static void solve(const double *l, double *a, int n, int b) {
  for (int i = 0; i < b; i++)
    for (int j = 0; j < b; j++) {
      double s = a[i * n + j];
      for (int m = 0; m < j; m++)
        s -= a[i * n + m] * l[j * n + m];
      a[i * n + j] = s / l[j * n + j];
    }
}

static void rank(const double *x, double *c, int n, int b) {
  for (int i = 0; i < b; i++)
    for (int j = 0; j <= i; j++)
      for (int m = 0; m < b; m++)
        c[i * n + j] -= x[i * n + m] * x[j * n + m];
}

static double triangles(double *a, const double *l, int n, int b) {
  double s = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; i += b)
#pragma omp task
      solve(l, a + i * n, n, b);
#pragma omp taskwait
    for (int i = 0; i < n; i += b)
#pragma omp task
      rank(l + b, a + i * n + b, n, b);
  }
  for (int i = 0; i < n * n; i++)
    s += a[i] * cos(i);
  return s;
}

// Steps backwards, columns, floats, and a nest inside of another loop.
static void turned(float *c, const float *x, int n, int times) {
  for (int t = 0; t < times; t++)
    for (int i = n - 1; i >= 0; i--)
      for (int j = 0; j < n; j++)
        for (int k = n - 1; k >= 0; k -= 2)
          c[i * n + j] += 0.125f * x[k * n + i] * x[j * n + k];
}

static void columns(const float *x, float *c, int n, int times) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 3; i++)
#pragma omp task
    turned(c + i * n * n, x + i * n * n, n, times);
}

// Blocks that may overlap: x - c is shift.
static void chain(double *c, const double *x, int n, int m) {
  for (int t = 0; t < m; t++)
    for (int i = 0; i < n; i++)
      c[t] += 0.25 * x[i] * x[i] * c[t];
}

static double overlapping(double *a, int n, int m, int shift) {
  double s = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    chain(a, a + shift, n, m);
#pragma omp taskwait
#pragma omp task
    chain(a + n, a, n, m);
  }
  for (int i = 0; i < 2 * n; i++)
    s += a[i] * cos(i);
  return s;
}

// Loops that do not run: nothing must be read then.
static void empty(double *y, const double *a, const double *x, int rows, const int *width) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < width[0]; j++)
      for (int k = 0; k < width[1]; k++)
        y[i] += a[i] * x[j + 3 * k];
}

static void widths(double *y, const double *a, const double *x, int n) {
  static const int table[8] = {0, 3, 3, 0, 3, 2, 1, 1};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++)
#pragma omp task
    empty(y + i * n, a, table[2 * i] && table[2 * i + 1] ? x : 0, n, table + 2 * i);
}

// A vector that all tasks read, by tasks and by a taskloop.
static double products(const double *a, const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(5)
    for (unsigned long i = 0; i < (unsigned long)n; i++)
      for (int j = 0; j < n; j++)
        y[i] += a[i * (unsigned long)n + j] * x[j] * x[n - 1 - j];
    for (int i = 0; i < n; i += 5)
#pragma omp task depend(inout : y[i])
      for (int k = i; k < i + 5 && k < n; k++)
        for (int j = 0; j < n; j++)
          y[k] += a[j * n + k] * x[j];
  }
  for (int i = 0; i < n; i++)
    s += y[i] * y[i];
  return s;
}

GRADIENT_CHECK(blocks_lu, Double, lu, In(double, 12), Int(15), Int(5))
GRADIENT_CHECK(blocks_triangles, Double, triangles, InOut(double, 100), In(double, 100), Int(10),
               Int(5))
GRADIENT_CHECK(blocks_turned, Void, columns, In(float, 108), InOut(float, 108), Int(6), Int(2))
GRADIENT_CHECK(blocks_that_overlap, Double, overlapping, InOut(double, 14), Int(7), Int(5), Int(3))
GRADIENT_CHECK(blocks_apart, Double, overlapping, InOut(double, 14), Int(7), Int(5), Int(5))
GRADIENT_CHECK(blocks_of_nothing, Void, widths, InOut(double, 20), In(double, 5), In(double, 12),
               Int(5))
GRADIENT_CHECK(blocks_vector, Double, products, In(double, 169), In(double, 13), InOut(double, 13),
               Int(13))
