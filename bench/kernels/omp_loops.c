// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP kernels, measured with one and with two threads.
#include "GradientCheck.h"
#include <math.h>

enum { Long = 1000000, Steps = 10, Side = 500, Rows = 1200, Bodies = 1200, Inner = 40 };

static void saxpy(double a, const double *x, double *y, int n, int steps) {
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      y[i] = a * x[i] + 0.9 * y[i];
  }
}

static void map(const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = sin(x[i]) * exp(-x[i]);
}

static void stencil(double *u, double *v, int nx, int ny, int steps) {
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int j = 1; j < ny - 1; j++)
      for (int i = 1; i < nx - 1; i++) {
        int c = j * nx + i;
        v[c] = 0.5 * u[c] + 0.125 * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx]);
      }
    double *t = u;
    u = v;
    v = t;
  }
}

static void allPairs(const double *x, double *f, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
      double d = x[j] - x[i];
      sum += d / sqrt((d * d + 0.01) * (d * d + 0.01) * (d * d + 0.01));
    }
    f[i] = sum;
  }
}

static void matrixVector(const double *a, const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += a[i * n + j] * x[j];
    y[i] = sum;
  }
}

static void innerLoop(const double *x, double *y, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double t = x[i];
    for (int k = 0; k < m; k++)
      t = sin(t) + 0.1 * t * t;
    y[i] = t;
  }
}

static double sum(const double *x, int n) {
  double total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; i++)
    total += sqrt(x[i]) * x[i];
  return total;
}

GRADIENT_CHECK(omp_saxpy, Void, saxpy, Scalar(double), In(double, Long), InOut(double, Long),
               Int(Long), Int(Steps))
GRADIENT_CHECK(omp_map, Void, map, In(double, Long), Out(double, Long), Int(Long))
GRADIENT_CHECK(omp_stencil, Void, stencil, InOut(double, Side *Side), InOut(double, Side *Side),
               Int(Side), Int(Side), Int(Steps))
GRADIENT_CHECK(omp_all_pairs, Void, allPairs, In(double, Bodies), Out(double, Bodies), Int(Bodies))
GRADIENT_CHECK(omp_matrix_vector, Void, matrixVector, In(double, Rows *Rows), In(double, Rows),
               Out(double, Rows), Int(Rows))
GRADIENT_CHECK(omp_inner_loop, Void, innerLoop, In(double, Long / 40), Out(double, Long / 40),
               Int(Long / 40), Int(Inner))
GRADIENT_CHECK(omp_reduction, Double, sum, In(double, Long), Int(Long))
