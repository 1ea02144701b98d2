// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collapsed nests of two and three loops.
// Supports: `parallel`, `parallel for`, `collapse`
#include "GradientCheck.h"
#include <math.h>

static void two(const double *x, const double *y, double *z, int n, int m) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      z[i * m + j] = exp(-x[i] * y[j]) * x[i];
}

static double three(const double *x, int n) {
  double sum = 0;
#pragma omp parallel for collapse(3) reduction(+ : sum) schedule(static, 2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        sum += x[i] * x[j] / (1 + x[k]);
  return sum;
}

GRADIENT_CHECK(collapse_two, Void, two, In(double, 6), In(double, 7), Out(double, 42), Int(6),
               Int(7))
GRADIENT_CHECK(collapse_three, Double, three, In(double, 5), Int(5))
