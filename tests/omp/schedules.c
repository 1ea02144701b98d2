// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every schedule: what an iteration computes does not depend on who ran it. Where pieces are dealt
// out, updates are plain if iterations are apart.
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

/* Iterations that touch places of their own, whoever gets them. */
#define WITH_PIECES(name, type, first, test, step, clause)                                         \
  static void name(double *x, double *y, double *a, int n) {                                       \
    _Pragma(clause) for (type i = first; test; step) y[i] += a[i] * x[2 * i] * x[2 * i + 1];       \
  }                                                                                                \
  GRADIENT_CHECK(name, Void, name, In(double, 202), InOut(double, 101), In(double, 101), Int(101))

WITH_PIECES(pieces_dynamic, int, 0, i < n, i++, "omp parallel for schedule(dynamic, 3)")
WITH_PIECES(pieces_guided, long, 5, i < n, i += 3, "omp parallel for schedule(guided)")
WITH_PIECES(pieces_unsigned, unsigned, 1, i < (unsigned)n, i++,
            "omp parallel for schedule(dynamic)")
WITH_PIECES(pieces_down, int, n - 1, i >= 0, i--, "omp parallel for schedule(runtime)")
WITH_PIECES(pieces_wide, unsigned long, 0, i < (unsigned long)n, i += 2,
            "omp parallel for schedule(monotonic:dynamic, 4)")

/* They are apart if the distance is, which only the run knows. */
static void pieces_distance(double *x, double *y, int n, int distance) {
#pragma omp parallel for schedule(dynamic, 2)
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i + distance];
}
GRADIENT_CHECK(pieces_far, Void, pieces_distance, In(double, 128), Out(double, 64), Int(64),
               Int(64))
GRADIENT_CHECK(pieces_near, Void, pieces_distance, In(double, 128), Out(double, 64), Int(64),
               Int(1))
GRADIENT_CHECK(pieces_same, Void, pieces_distance, In(double, 128), Out(double, 64), Int(64),
               Int(0))

/* What every iteration reads, and what is read through an index; the other array may be the same.
 */
static void pieces_beside(double *x, double *a, double *y, int n, int other) {
  double *arrays[] = {x, a}, *z = arrays[other];
#pragma omp parallel
  for (int s = 0; s < 3; s++) {
#pragma omp for schedule(dynamic, 5)
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 4; k++)
        y[i] += z[4 * i + k] * x[i * 7 % n] * x[n + k];
#pragma omp for schedule(guided)
    for (int i = 0; i < n; i++)
      a[i] *= y[i];
  }
}
GRADIENT_CHECK(pieces_beside_others, Void, pieces_beside, In(double, 148), InOut(double, 148),
               InOut(double, 37), Int(37), Int(1))
GRADIENT_CHECK(pieces_beside_itself, Void, pieces_beside, In(double, 148), InOut(double, 148),
               InOut(double, 37), Int(37), Int(0))
