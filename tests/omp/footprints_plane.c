// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Footprints of whole rows: a stencil with needs of its own in every cell, rows of run-time length,
// a triangle, columns, and more threads than rows apart.
// Supports: stencils and footprints without atomics
#include "GradientCheck.h"
#include <math.h>

static void flux(const double *h, const double *q, double *next, int nx, int ny) {
#pragma omp parallel for
  for (int j = 1; j < ny - 1; j++)
    for (int i = 1; i < nx - 1; i++) {
      int c = j * nx + i;
      double east = sqrt(h[c] * h[c + 1]) * (q[c] + q[c + 1]);
      double north = sqrt(h[c] * h[c + nx]) * (q[c] - q[c + nx]);
      double south = fmax(h[c], h[c - nx]) * q[c - nx];
      next[c] = h[c] + 0.1 * (east * north - south / q[c - 1]);
    }
}

static void triangle(const double *a, const double *x, double *y, int n) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j <= i; j++)
      sum += a[i * n + j] * x[j] * x[i];
    y[i] = sum;
  }
}

static void columns(const double *a, double *y, int n, int m) {
#pragma omp parallel for
  for (int j = 0; j < m; j++) {
    double product = 1;
    for (int i = 0; i < n; i++)
      product *= a[i * m + j] + 0.1 * a[i * m + (j + 1) % m];
    y[j] = product;
  }
}

GRADIENT_CHECK(footprint_flux, Void, flux, In(double, 176), In(double, 176), InOut(double, 176),
               Int(8), Int(22))
GRADIENT_CHECK(footprint_flux_few_rows, Void, flux, In(double, 48), In(double, 48),
               InOut(double, 48), Int(8), Int(6))
GRADIENT_CHECK(footprint_triangle, Void, triangle, In(double, 144), In(double, 12), Out(double, 12),
               Int(12))
GRADIENT_CHECK(footprint_columns, Void, columns, In(double, 60), Out(double, 12), Int(5), Int(12))
