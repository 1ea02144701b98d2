// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums: one, two at once, within an active region, of an array section, and a product's logarithm.
// Supports: `reduction` with `+`, `max`, `min`, of scalars and array sections
#include "GradientCheck.h"
#include <math.h>

static double one(const double *x, int n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  return sum;
}

static double two(const double *x, const double *y, int n) {
  double sum = 1, other = 2;
  int count = 0;
#pragma omp parallel for reduction(+ : sum, other, count)
  for (int i = 0; i < n; i++) {
    sum += x[i] * y[i];
    other += sin(x[i]);
    count += x[i] > 1;
  }
  return sum * other + 0 * count;
}

static double used(double *x, int n) {
  double norm = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : norm)
    for (int i = 0; i < n; i++)
      norm += x[i] * x[i];
#pragma omp for
    for (int i = 0; i < n; i++)
      x[i] /= norm;
  }
  return sqrt(norm);
}

static void section(const double *x, double *bins, int n, int m) {
#pragma omp parallel for reduction(+ : bins[ : m])
  for (int i = 0; i < n; i++)
    bins[i % m] += x[i] * x[i];
}

GRADIENT_CHECK(reduction_one, Double, one, In(double, 31), Int(31))
GRADIENT_CHECK(reduction_two, Double, two, In(double, 31), In(double, 31), Int(31))
GRADIENT_CHECK(reduction_used, Double, used, InOut(double, 31), Int(31))
GRADIENT_CHECK(reduction_section, Void, section, In(double, 31), InOut(double, 4), Int(31), Int(4))
