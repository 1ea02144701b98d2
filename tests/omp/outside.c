// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said from outside: OMP_SCHEDULE, OMP_DYNAMIC, OMP_THREAD_LIMIT (CMakeLists.txt). Inner
// teams get what others have left of three threads.
// Supports: `OMP_SCHEDULE`, `OMP_DYNAMIC`, `OMP_THREAD_LIMIT` from outside
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>

enum { N = 24 };

static double scheduled(const double *x, double *y) {
  double s = 0;
#pragma omp parallel
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < N; i++)
      y[i] *= x[i] * x[(i + 1) % N];
#pragma omp for schedule(runtime) reduction(+ : s) collapse(2)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < N / 4; j++)
        s += y[j * 4 + i] * x[i];
  }
  return s * s;
}

GRADIENT_CHECK(outside_scheduled, Double, scheduled, In(double, N), InOut(double, N))

static double rationed(const double *x, const double *y) {
  double s = 0, p = 1;
  int levels = omp_get_max_active_levels(), dynamic = omp_get_dynamic();
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
#pragma omp parallel for reduction(+ : s) schedule(dynamic, 1)
  for (int k = 0; k < 16; k++) {
    double z = 0;
#pragma omp parallel for num_threads(2) reduction(+ : z)
    for (int i = 0; i < N; i++) {
      double w = x[i];
      for (int r = 0; r < 60; r++) // long enough for teams to meet
        w = sin(w) + y[(i + k) % N];
      z += w;
      if (i % 12 == k)
#pragma omp critical
        p *= 1 + 0.1 * x[k];
    }
    s += z * z;
  }
  omp_set_dynamic(dynamic);
  omp_set_max_active_levels(levels);
  return s * p;
}

GRADIENT_CHECK(outside_rationed, Double, rationed, In(double, N), In(double, N))
