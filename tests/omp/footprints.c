// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an iteration reads decides who else may update its adjoint: neighbours at fixed and run-time
// distances, whole rows, other strides, the other end of the array, halves of one array.
// Supports: stencils and footprints without atomics
#include "GradientCheck.h"

static void wide(const double *u, const double *k, double *v, int n, int reach) {
#pragma omp parallel for
  for (int i = 3; i < n - 3; i++) {
    double sum = 0;
    for (int j = -reach; j <= reach; j++)
      sum += u[i + j] * k[j + 3];
    v[i] = sum * u[i - 3] * u[i + 3];
  }
}

static void shifted(const double *u, double *v, int n, int shift) {
#pragma omp parallel for
  for (int i = 0; i < n - shift; i++)
    v[i] = u[i] * u[i + shift];
}

static void strided(const double *u, double *v, int n) {
#pragma omp parallel for
  for (int i = 0; i < n / 3; i++)
    v[i] = u[3 * i] * u[3 * i + 1] + u[3 * i + 2] * u[i];
}

static void halved(const double *u, double *v, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    v[i] = u[i / 2] * u[n - 1 - i];
}

static void descending(const double *u, double *v, int n) {
#pragma omp parallel for
  for (int i = n - 2; i > 0; i--)
    v[i] = u[i - 1] * u[i] * u[i + 1];
}

static void within(double *u, int n) {
#pragma omp parallel for
  for (int i = 0; i < n / 2; i++)
    u[n / 2 + i] = u[i] * u[i] + 0.5 * u[n / 2 + i];
}

GRADIENT_CHECK(footprint_wide, Void, wide, In(double, 40), In(double, 7), InOut(double, 40),
               Int(40), Int(2))
GRADIENT_CHECK(footprint_shifted, Void, shifted, In(double, 40), InOut(double, 40), Int(40), Int(5))
GRADIENT_CHECK(footprint_strided, Void, strided, In(double, 60), Out(double, 20), Int(60))
GRADIENT_CHECK(footprint_halved, Void, halved, In(double, 31), Out(double, 31), Int(31))
GRADIENT_CHECK(footprint_descending, Void, descending, In(double, 33), InOut(double, 33), Int(33))
GRADIENT_CHECK(footprint_within, Void, within, InOut(double, 42), Int(42))
