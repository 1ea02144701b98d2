// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that every iteration of a divided loop reads: their adjoints are summed by each thread on
// its own.
// Supports: arrays that all iterations read, without atomics
#include "GradientCheck.h"
#include <math.h>

// Records, of which every second number is read; the other one is an integer.
struct node {
  double weight;
  long kind;
};

static double records(const double *x, double *y, int n) {
  struct node nodes[16];
  for (int j = 0; j < 16; j++)
    nodes[j] = (struct node){x[j] * x[j], j % 3};
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < 16; j++)
      sum += nodes[j].weight * (double)nodes[j].kind * x[i];
    y[i] = sum;
  }
  return y[0];
}

// Two tables, walked downwards and in a nest of two loops.
static void tables(const double *f, const double *g, double *y, int n, int m, int l) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = m - 1; j >= 0; j--)
      for (int k = 0; k < l; k++)
        sum += sin(f[j] * (1 + i)) * g[l * j + k];
    y[i] = sum;
  }
}

// A product of matrices: all rows of c take all columns of b.
static void matrices(const double *a, const double *b, double *c, int n, int m, int l) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double sum = 0;
      for (int k = 0; k < l; k++)
        sum += a[i * l + k] * b[k * m + j];
      c[i * m + j] = sum;
    }
}

// The threads read all of x and their own part of it, and the result overlaps what they read.
static void overlapping(double *x, int n) {
  double *y = x + 2 * n;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = y[i];
    for (int j = 0; j < n; j++)
      sum += x[j] * x[n + i] * x[i];
    y[i] = sum * sum;
  }
}

// A number that is read in front of the loop belongs to the array that the loop walks.
static void before(const double *x, double *y, int n) {
#pragma omp parallel
  {
    double first = x[0] * x[1];
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = first * x[i];
  }
}

// Only one iteration reads all of x.
static void once(const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = x[i];
    if (i == n / 2)
      for (int j = 0; j < n; j++)
        sum += x[j] * x[j];
    y[i] = sum;
  }
}

GRADIENT_CHECK(private_records, Double, records, In(double, 16), Out(double, 16), Int(16))
GRADIENT_CHECK(private_tables, Void, tables, In(double, 6), In(double, 18), Out(double, 9), Int(9),
               Int(6), Int(3))
GRADIENT_CHECK(private_matrices, Void, matrices, In(double, 50), In(double, 20), Out(double, 40),
               Int(10), Int(4), Int(5))
GRADIENT_CHECK(private_overlapping, Void, overlapping, InOut(double, 33), Int(11))
GRADIENT_CHECK(private_before, Void, before, In(double, 13), Out(double, 13), Int(13))
GRADIENT_CHECK(private_once, Void, once, In(double, 14), Out(double, 14), Int(14))
