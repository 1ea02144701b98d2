// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread reads every particle and writes its own.
#include "GradientCheck.h"
#include <math.h>

static void forces(const double *x, double *f, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double fx = 0, fy = 0;
    for (int j = 0; j < n; j++) {
      double dx = x[2 * j] - x[2 * i], dy = x[2 * j + 1] - x[2 * i + 1];
      double r2 = dx * dx + dy * dy + 0.1;
      fx += dx / (r2 * sqrt(r2));
      fy += dy / (r2 * sqrt(r2));
    }
    f[2 * i] = fx;
    f[2 * i + 1] = fy;
  }
}

GRADIENT_CHECK(all_pairs, Void, forces, In(double, 24), Out(double, 24), Int(12))
