// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An active scalar that every thread reads: shared, firstprivate, and through a pointer.
// Supports: captured scalars, records, classes
#include "GradientCheck.h"

static void shared(const double *x, double *y, double a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = a * a * x[i];
}

static void firstPrivate(const double *x, double *y, double a, int n) {
#pragma omp parallel firstprivate(a)
  {
    a *= 2;
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = a * x[i];
  }
}

static void pointed(const double *x, double *y, const double *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = *a * x[i] + y[i] * a[1];
}

GRADIENT_CHECK(scalar_shared, Void, shared, In(double, 23), Out(double, 23), Scalar(double),
               Int(23))
GRADIENT_CHECK(scalar_firstprivate, Void, firstPrivate, In(double, 23), Out(double, 23),
               Scalar(double), Int(23))
GRADIENT_CHECK(scalar_pointed, Void, pointed, In(double, 23), InOut(double, 23), In(double, 2),
               Int(23))
