// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over neighbours: the optimiser hands what it has loaded on to the next iteration.
// Supports: reductions over neighbouring elements
#include "GradientCheck.h"
#include <math.h>

static double curvature(const double *x, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 1; i < n - 1; i++) {
    double d = x[i + 1] - 2 * x[i] * x[i] + x[i - 1];
    s += d * d;
  }
  return s;
}

static double backwards(const double *x, const double *w, long n) {
  double s = 0, p = 1;
#pragma omp parallel for reduction(+ : s) reduction(* : p) schedule(static)
  for (long i = n - 1; i >= 2; i -= 1) {
    s += x[i] * x[i - 1] * x[i - 2] * w[i - 1];
    p *= 1 + 0.1 * w[i] * w[i - 1];
  }
  return s * p;
}

static double far(const double *x, int n) {
  double largest = 0;
#pragma omp parallel for reduction(max : largest)
  for (int i = 0; i < n - 9; i++)
    largest = fmax(largest, (i + 1) * x[i] * x[i + 1] * x[i + 4] * x[i + 9]);
  return largest;
}

static double pairs(const double *x, int n) {
  double s = 0;
#pragma omp parallel
  {
    double own = 0;
#pragma omp for nowait
    for (int i = 0; i < n - 1; i++)
      own += x[2 * i] * x[2 * i + 1] - x[2 * i + 2];
#pragma omp atomic
    s += own * own / (1 + own * own);
  }
  return n > 3 ? s * 0 + x[0] : s;
}

static double mixed(const double *x, double *y, const int *order, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 1; i < n; i++) {
    s += x[i] * x[i - 1] * x[order[i]];
    y[i] = x[i] - x[i - 1];
  }
  return s;
}
static double mixedOrder(const double *x, double *y, int n) {
  int order[32];
  for (int i = 0; i < n; i++)
    order[i] = (5 * i + 3) % n;
  y[0] = x[0];
  return mixed(x, y, order, n);
}

static double inTime(double *x, int n) {
  double s = 0;
  for (int t = 0; t < 3; t++) {
#pragma omp parallel for reduction(+ : s)
    for (int i = 1; i < n; i++)
      s += x[i] * x[i - 1];
    x[t] = 0.1 * s;
  }
  return s;
}

GRADIENT_CHECK(neighbours_curvature, Double, curvature, In(double, 37), Int(37))
GRADIENT_CHECK(neighbours_backwards, Double, backwards, In(double, 30), In(double, 30), Size(30))
GRADIENT_CHECK(neighbours_far, Double, far, In(double, 33), Int(33))
GRADIENT_CHECK(neighbours_pairs, Double, pairs, In(double, 33), Int(16))
GRADIENT_CHECK(neighbours_mixed, Double, mixedOrder, In(double, 32), Out(double, 32), Int(32))
GRADIENT_CHECK(neighbours_in_time, Double, inTime, InOut(double, 20), Int(20))
