// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions called from the region, one of which recurses, and a region in a called function.
// Supports: nested regions, regions in loops and in called functions
#include "GradientCheck.h"
#include <math.h>

__attribute__((noinline)) static double kernel(const double *x, int i, int n) {
  double sum = 0;
  for (int j = 0; j < n; j++)
    if (j != i)
      sum += 1 / (0.1 + (x[i] - x[j]) * (x[i] - x[j]));
  return sum;
}

static double power(double x, int n) { return n == 0 ? 1 : x * power(x, n - 1); }

__attribute__((noinline)) static void apply(const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = kernel(x, i, n) * power(x[i], i % 4);
}

static double twice(const double *x, double *y, double *z, int n) {
  apply(x, y, n);
  for (int i = 0; i < n; i++)
    y[i] = log(1 + y[i]);
  apply(y, z, n);
  return z[0];
}

GRADIENT_CHECK(called_functions, Double, twice, In(double, 10), Out(double, 10), Out(double, 10),
               Int(10))
