// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that read neighbours of arrays which nothing else writes: the optimiser loads each number
// once and hands it on. Backwards, with a limiter, where few iterations run, where the count is not
// known, and where something in the loop writes to the array after all.
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>

static double smaller(double a, double b) { return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b; }

static void limited(double *restrict u, double *restrict f, const double *restrict c, int n) {
  for (int s = 0; s < 3; s++) {
    for (int i = 1; i < n - 2; i++) {
      const double left = u[i] + 0.5 * smaller(u[i] - u[i - 1], u[i + 1] - u[i]);
      const double right = u[i + 1] - 0.5 * smaller(u[i + 1] - u[i], u[i + 2] - u[i + 1]);
      f[i] = c[i] > 1 ? c[i] * left : c[i] * right * right;
    }
    for (int i = 2; i < n - 2; i++)
      u[i] -= 0.1 * (f[i] - f[i - 1]);
  }
}

static double backwards(const double *x, int n) {
  double *own = malloc(sizeof(double) * (unsigned long)n), sum = 0;
  for (int i = 0; i < n; i++)
    own[i] = x[i] * x[i];
  for (int i = n - 2; i >= 0; i--)
    sum += own[i] * own[i + 1] * x[i];
  free(own);
  return sum;
}

static void rows(const float *restrict u, float *restrict v, int n) {
  for (int j = 1; j < n - 1; j++)
    for (int i = 1; i < n - 1; i++)
      v[j * n + i] += u[j * n + i - 1] * u[j * n + i + 1] + u[j * n + i] * u[j * n - n + i];
}

static double until(const double *restrict x, double *restrict y, double limit, int n) {
  double sum = 0;
  for (int i = 0; i < n && sum < limit; i++) {
    sum += x[i] * x[i + 1];
    y[i] = sum * x[i + 2];
  }
  return sum;
}

static double written(double *restrict x, int n) {
  double sum = 0;
  for (int i = 0; i + 2 < n; i++) {
    sum += x[i] * x[i + 1];
    x[i + 2] += 0.5 * x[i] * x[i + 1];
    if (i == 4)
      x[i + 1] *= sum;
  }
  return sum;
}

static double few(const double *restrict x, double *restrict y, int n) {
  double sum = 0;
  for (int m = 0; m <= n; m++)
    for (int i = 0; i < m; i++) {
      y[i] = x[i] * x[i + 1] + x[i + 2] * y[i];
      sum += y[i];
    }
  return sum;
}

GRADIENT_CHECK(handed_on_limited, Void, limited, InOut(double, 15), InOut(double, 15),
               In(double, 15), Int(15))
GRADIENT_CHECK(handed_on_backwards, Double, backwards, In(double, 9), Int(9))
GRADIENT_CHECK(handed_on_rows, Void, rows, In(float, 36), InOut(float, 36), Int(6))
GRADIENT_CHECK(handed_on_until, Double, until, In(double, 20), InOut(double, 20),
               ConstScalar(double), Int(18))
GRADIENT_CHECK(handed_on_written, Double, written, InOut(double, 12), Int(12))
GRADIENT_CHECK(handed_on_few, Double, few, In(double, 8), InOut(double, 8), Int(5))
