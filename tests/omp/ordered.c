// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recurrence in the ordered part of a parallel loop, with several schedules.
// Supports: `ordered`
#include "GradientCheck.h"
#include <math.h>

static double recurrence(const double *x, int n) {
  double s = 0.3, t = 1;
#pragma omp parallel
  {
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < n; i++) {
      double v = sin(x[i]) * x[i];
#pragma omp ordered
      s = s * v + x[i];
    }
#pragma omp for ordered schedule(static, 2)
    for (int i = n - 1; i >= 0; i--) {
      double v = s * x[i];
#pragma omp ordered
      t = t * 0.9 + t * v;
    }
  }
  return s * t;
}

GRADIENT_CHECK(ordered, Double, recurrence, In(double, 13), Int(13))
