// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inner teams that run at the same time and read the same numbers.
// Supports: nested regions, regions in loops and in called functions
#include "GradientCheck.h"
#include <omp.h>

// All inner teams read all of x at the same time.
static double together(const double *x, int n, int m) {
  double sums[8];
  omp_set_max_active_levels(2);
#pragma omp parallel for schedule(static, 1)
  for (int k = 0; k < m; k++) {
    double squares[2000];
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++)
      squares[i] = x[i] * x[i] * (k + 1);
    sums[k] = 0;
    for (int i = 0; i < n; i++)
      sums[k] += squares[i];
  }
  double s = 0;
  for (int k = 0; k < m; k++)
    s += sums[k] * sums[k];
  return s;
}

GRADIENT_CHECK_BOUND(1e-9, regions_together, Double, together, In(double, 2000), Int(2000), Int(8))

// All threads of regions three deep add to the same numbers.
static double three_deep(const double *x, int n) {
  double sum = 0;
  int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(3);
#pragma omp parallel for reduction(+ : sum) num_threads(2)
  for (int i = 0; i < n; i++) {
    double product = 1;
#pragma omp parallel for reduction(* : product) num_threads(2)
    for (int j = 0; j < 3; j++) {
      double inner = 0;
#pragma omp parallel for reduction(+ : inner) num_threads(2)
      for (int k = 0; k < 4; k++)
        inner += x[(i + j * k) % n] * x[k];
      product *= 1 + 0.1 * inner;
    }
    sum += product;
  }
  omp_set_max_active_levels(levels);
  return sum;
}

GRADIENT_CHECK(nested_three_deep, Double, three_deep, In(double, 9), Int(9))
