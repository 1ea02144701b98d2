// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread writes is its own: while it does, nobody else reads it.
// Supports: arrays that are changed in place, without atomics
#include "GradientCheck.h"
#include <math.h>

static double owned(double *y, const double *x, const int *n) {
  double s = 0;
#pragma omp parallel for schedule(dynamic, 2)
  for (int i = 0; i < n[0]; i++) {
    y[3 * i] *= x[i / 2];
    for (int j = 1; j < 3; j++)
      y[3 * i + j] = y[3 * i + j] * y[3 * i + j - 1] + x[(i * j) % 5] * y[3 * i + j];
  }
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n[0]; i++)
    for (int j = 0; j < 3; j++) {
      for (int k = 0; k < j; k++)
        y[3 * i + j] -= 0.5 * y[3 * i + k] * x[k];
      y[3 * i + j] *= x[j];
    }
  for (int i = 0; i < 3 * n[0]; i++)
    s += y[i] * cos(i);
  return s;
}

static double ownedOf(double *y, const double *x, int n) { return owned(y, x, &n); }

GRADIENT_CHECK(owned_in_place, Double, ownedOf, InOut(double, 33), In(double, 6), Int(11))
