// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A critical section that adds, and one whose result depends on what is there already.
// Supports: `critical`, `atomic`
#include "GradientCheck.h"

static double adding(const double *x, int n) {
  double sum = 0;
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      mine += x[i] * x[i];
#pragma omp critical
    sum += mine;
  }
  return sum * sum;
}

// The factors commute, so the order in which the threads come does not matter to the result.
static double multiplying(const double *x, int n) {
  double product = 1;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double f = 0.5 + x[i];
#pragma omp critical(factors)
    product *= f;
  }
  return product;
}

// Sections of one name before and after a loop whose iterations read neighbours.
static double around(const double *x, int n) {
  double product = 1, y[40];
#pragma omp parallel
  {
#pragma omp critical(around)
    product *= x[0];
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      y[i] = x[i] * x[i + 1];
#pragma omp critical(around)
    product /= x[0] * x[0];
#pragma omp critical(around)
    product *= x[0];
  }
  double sum = product;
  for (int i = 0; i < n; i++)
    sum += y[i] * y[i];
  return sum;
}

GRADIENT_CHECK(critical_around, Double, around, In(double, 41), Int(40))
GRADIENT_CHECK(critical_add, Double, adding, In(double, 25), Int(25))
GRADIENT_CHECK_BOUND(1e-11, critical_multiply, Double, multiplying, In(double, 12), Int(12))
