// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An adjoint in three directions as a program under test: name(double *x, double *y) overwrites n
// numbers (an enumerator of the file) and writes n others; the second and third direction are
// multiples of the first.
#ifndef CONTRAFLOW_TEST_DIRECTIONS_H
#define CONTRAFLOW_TEST_DIRECTIONS_H

#include "GradientCheck.h"

#include <math.h>

void __enzyme_autodiff_directions(void *, ...);
void __enzyme_fwddiff_direction(void *, ...);

static const double scale[3] = {1, -2, 0.5};

static void seeds(double (*bars)[n], const double *bar) {
  for (int lane = 0; lane < 3; lane++)
    for (int i = 0; i < n; i++)
      bars[lane][i] = scale[lane] * bar[i];
}

/// The first direction; not a number where another one is no multiple of it.
static void compare(double *bar, double (*bars)[n]) {
  for (int i = 0; i < n; i++) {
    const double near = 1e-11 * (fabs(bars[0][i]) + 1);
    const int same =
        fabs(bars[1][i] + 2 * bars[0][i]) < near && fabs(bars[2][i] - 0.5 * bars[0][i]) < near;
    bar[i] = same ? bars[0][i] : NAN;
  }
}

/// The three functions of such a program.
#define DIRECTIONS_OF(name)                                                                        \
  static double name##_primal(void *const *v) {                                                    \
    name((double *)v[0], (double *)v[1]);                                                          \
    return 0;                                                                                      \
  }                                                                                                \
  static double name##_tangent(void *const *v, void *const *d) {                                   \
    __enzyme_fwddiff_direction((void *)name, (double *)v[0], (double *)d[0], (double *)v[1],       \
                               (double *)d[1]);                                                    \
    return 0;                                                                                      \
  }                                                                                                \
  static void name##_adjoint(void *const *v, void *const *d) {                                     \
    double x[3][n], y[3][n];                                                                       \
    seeds(x, (double *)d[0]);                                                                      \
    seeds(y, (double *)d[1]);                                                                      \
    __enzyme_autodiff_directions((void *)name, enzyme_width, 3, enzyme_dup, (double *)v[0], x[0],  \
                                 x[1], x[2], enzyme_dup, (double *)v[1], y[0], y[1], y[2]);        \
    compare((double *)d[0], x);                                                                    \
    compare((double *)d[1], y);                                                                    \
  }
#define DIRECTIONS(name)                                                                           \
  DIRECTIONS_OF(name)                                                                              \
  GRADIENT_CHECK_CUSTOM(name, Void, name##_primal, name##_tangent, name##_adjoint,                 \
                        InOut(double, n), Out(double, n))

#endif
