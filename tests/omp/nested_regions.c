// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions in sequence that depend on each other through scalars, a loop of them of unknown length,
// and a region whose result decides whether the next one runs.
// Supports: nested regions, regions in loops and in called functions
#include "GradientCheck.h"
#include <math.h>

static double iterate(double *x, int n) {
  double residual = 1;
  int steps = 0;
  while (residual > 0.3 && steps < 20) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
      sum += x[i] * x[i];
    double mean = sqrt(sum / n);
    residual = 0;
#pragma omp parallel for reduction(+ : residual)
    for (int i = 0; i < n; i++) {
      double change = 0.4 * (mean - x[i]);
      x[i] += change;
      residual += change * change;
    }
    steps++;
  }
  if (residual < 0.2) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] *= residual;
  }
  return residual;
}

GRADIENT_CHECK(nested_regions, Double, iterate, InOutRange(double, 30, 0.1, 2.5), Int(30))
