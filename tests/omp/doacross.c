// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations that wait for others: a recurrence, a wave over a plane, several times.
// Supports: doacross loops, `ordered depend(sink)`, `ordered depend(source)`
#include "GradientCheck.h"
#include <math.h>

static void recurrence(const double *x, double *y, int n) {
#pragma omp parallel for ordered(1)
  for (int i = 0; i < n; i++) {
    double t = x[i] * x[i];
#pragma omp ordered depend(sink : i - 1)
    y[i] = t + (i ? y[i - 1] * sin(x[i]) : 0);
#pragma omp ordered depend(source)
  }
}

static void wave(const double *x, double *y, int n, int m) {
#pragma omp parallel for ordered(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double v = x[m * i + j] * x[0];
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1) depend(sink : i - 1, j - 1)
      if (i)
        v += y[m * (i - 1) + j] * 0.5;
      if (j)
        v *= sin(y[m * i + j - 1]);
      if (i && j)
        v += y[m * (i - 1) + j - 1] * 0.1;
      y[m * i + j] = v;
#pragma omp ordered depend(source)
    }
}

static void inTime(const double *x, double *y, int n, int steps) {
  for (int i = 0; i < n; i++)
    y[i] = x[i];
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 2; i < n; i++) {
      double v = sin(y[i]);
#pragma omp ordered depend(sink : i - 2)
      y[i] = v * y[i - 2] + x[s];
#pragma omp ordered depend(source)
    }
  }
}

GRADIENT_CHECK(doacross_recurrence, Void, recurrence, In(double, 14), Out(double, 14), Int(14))
GRADIENT_CHECK(doacross_wave, Void, wave, In(double, 20), Out(double, 20), Int(5), Int(4))
GRADIENT_CHECK(doacross_in_time, Void, inTime, In(double, 13), Out(double, 13), Int(13), Int(3))
