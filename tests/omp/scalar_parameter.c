// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An active scalar that every thread reads: shared, firstprivate, and through a pointer. An address
// that is an integer.
// Supports: captured scalars, records, classes
#include "GradientCheck.h"
#include <stdint.h>

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

static double addressed(const double *x, double *y, int n) {
  const uintptr_t place = (uintptr_t)x;
  double sum = 0;
#pragma omp parallel for firstprivate(place) reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    y[i] = ((const double *)place)[i] * x[(i + 1) % n];
    sum += y[i] * ((const double *)place)[n - 1 - i];
  }
  return sum;
}

GRADIENT_CHECK(scalar_shared, Void, shared, In(double, 23), Out(double, 23), Scalar(double),
               Int(23))
GRADIENT_CHECK(scalar_firstprivate, Void, firstPrivate, In(double, 23), Out(double, 23),
               Scalar(double), Int(23))
GRADIENT_CHECK(scalar_pointed, Void, pointed, In(double, 23), InOut(double, 23), In(double, 2),
               Int(23))
GRADIENT_CHECK(scalar_addressed, Double, addressed, In(double, 23), Out(double, 23), Int(23))
