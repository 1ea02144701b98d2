// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every schedule: what an iteration computes does not depend on who ran it.
// Supports: schedules: static, chunked, dynamic, guided
#include "GradientCheck.h"
#include <math.h>

#define WITH_SCHEDULE(name, clause)                                                                \
  static void name(const double *x, double *y, int n) {                                            \
    _Pragma(clause) for (int i = 0; i < n; i++) {                                                  \
      double t = x[i];                                                                             \
      for (int k = 0; k < i % 5; k++)                                                              \
        t = t * t * 0.5 + x[i];                                                                    \
      y[i] = sqrt(t);                                                                              \
    }                                                                                              \
  }                                                                                                \
  GRADIENT_CHECK(name, Void, name, In(double, 29), Out(double, 29), Int(29))

WITH_SCHEDULE(schedule_static, "omp parallel for schedule(static)")
WITH_SCHEDULE(schedule_static_chunk, "omp parallel for schedule(static, 3)")
WITH_SCHEDULE(schedule_dynamic, "omp parallel for schedule(dynamic)")
WITH_SCHEDULE(schedule_dynamic_chunk, "omp parallel for schedule(dynamic, 4)")
WITH_SCHEDULE(schedule_guided, "omp parallel for schedule(guided)")
WITH_SCHEDULE(schedule_runtime, "omp parallel for schedule(runtime)")
