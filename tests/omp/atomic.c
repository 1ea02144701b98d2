// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic updates of a sum and of a histogram.
// Supports: `critical`, `atomic`
#include "GradientCheck.h"

static double sum(const double *x, int n) {
  double total = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    total += x[i] * x[i];
  }
  return total;
}

static void histogram(const double *x, double *bins, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    bins[(5 * i) % m] += x[i] * x[(i + 1) % n];
  }
}

GRADIENT_CHECK(atomic_sum, Double, sum, In(double, 24), Int(24))
GRADIENT_CHECK(atomic_histogram, Void, histogram, In(double, 24), InOut(double, 3), Int(24), Int(3))
