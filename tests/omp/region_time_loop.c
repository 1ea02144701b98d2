// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One region around the whole time loop, the swap done by every thread on its own pointers.
// Supports: nested regions, regions in loops and in called functions
#include "GradientCheck.h"

static void march(double *a, double *b, int n, int steps) {
#pragma omp parallel
  {
    double *u = a, *v = b;
    for (int s = 0; s < steps; s++) {
#pragma omp for
      for (int i = 0; i < n; i++)
        v[i] = 0.5 * u[i] * u[i == 0 ? n - 1 : i - 1] + 0.3 * u[i == n - 1 ? 0 : i + 1];
      double *t = u;
      u = v;
      v = t;
    }
  }
}

GRADIENT_CHECK(region_time_loop, Void, march, InOut(double, 22), InOut(double, 22), Int(22), Int(4))
