// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefix sums and products.
// Supports: `scan`, inclusive and exclusive
#pragma clang diagnostic ignored "-Wpass-failed" // not every simd loop is vectorised
#include "GradientCheck.h"

static void inclusive(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel for reduction(inscan, + : s)
  for (int i = 0; i < n; i++) {
    s += x[i] * x[i];
#pragma omp scan inclusive(s)
    y[i] = s * x[i];
  }
}

static void exclusive(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel for reduction(inscan, + : s)
  for (int i = 0; i < n; i++) {
    y[i] = s * x[i];
#pragma omp scan exclusive(s)
    s += x[i] * x[i];
  }
}

static void products(const double *x, double *y, int n) {
  double s = 1;
#pragma omp parallel for reduction(inscan, * : s)
  for (int i = 0; i < n; i++) {
    s *= x[i];
#pragma omp scan inclusive(s)
    y[i] = s * x[i];
  }
}

static void simd(const double *x, double *y, int n) {
  double s = 0;
#pragma omp simd reduction(inscan, + : s)
  for (int i = 0; i < n; i++) {
    s += x[i] * x[i];
#pragma omp scan inclusive(s)
    y[i] = s * x[i];
  }
}

GRADIENT_CHECK(scan_inclusive, Void, inclusive, In(double, 15), Out(double, 15), Int(15))
GRADIENT_CHECK(scan_exclusive, Void, exclusive, In(double, 15), Out(double, 15), Int(15))
GRADIENT_CHECK(scan_products, Void, products, In(double, 15), Out(double, 15), Int(15))
GRADIENT_CHECK(scan_simd, Void, simd, In(double, 15), Out(double, 15), Int(15))
