// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations whose order matters to the derivative. Where it matters to the result as well,
// one thread runs the loop.
// Supports: `atomic` update with every operator, capture, read, write, compare
#include "GradientCheck.h"
#include <complex.h>
#include <math.h>

static double product(const double *x, int n) {
  double p[2] = {1, 2};
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double v = 0.5 + x[i];
#pragma omp atomic
    p[i % 2] *= v;
#pragma omp atomic
    p[1 - i % 2] /= v * v;
  }
  return p[0] * p[1] + p[0];
}

static double extremes(const double *x, int n) {
  double most = -1, least = 100;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double e = x[i] * x[i];
#pragma omp atomic compare
    if (most < e) {
      most = e;
    }
#pragma omp atomic compare
    least = e < least ? e : least;
  }
  return most * least;
}

static double alternating(const double *x, int n) {
  double p = 1;
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    p += x[i];
#pragma omp atomic
    p *= x[i];
#pragma omp atomic
    p = 1 - p;
#pragma omp atomic
    p -= x[i] * x[0];
  }
  return p;
}

static double handedOut(const double *x, int n) {
  double p = 1, last = x[0], sum = 0;
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < n; i++) {
    double before, seen, old;
#pragma omp atomic capture
    {
      before = p;
      p += x[i];
    }
#pragma omp atomic read
    seen = p;
#pragma omp atomic capture
    {
      old = last;
      last = x[i] * x[i];
    }
    sum += before * seen * old;
  }
  return sum + last;
}

// One thread writes, all read.
static void announced(const double *x, double *y, int n) {
  double shared = 0;
#pragma omp parallel
  {
#pragma omp single
    {
#pragma omp atomic write
      shared = x[0] * x[1];
    }
    double mine;
#pragma omp atomic read
    mine = shared;
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = mine * x[i];
  }
}

static double wide(const double *x, int n) {
  long double squares = 0;
  double _Complex turns = 1;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    squares += x[i] * x[i];
#pragma omp atomic
    turns *= x[i] + 0.5 * I;
  }
  return (double)squares * creal(turns) * cimag(turns);
}

GRADIENT_CHECK_BOUND(1e-10, atomic_product, Double, product, In(double, 12), Int(12))
GRADIENT_CHECK(atomic_extremes, Double, extremes, In(double, 20), Int(20))
GRADIENT_CHECK_BOUND(1e-10, atomic_alternating, Double, alternating, In(double, 7), Int(7))
GRADIENT_CHECK(atomic_handed_out, Double, handedOut, In(double, 9), Int(9))
GRADIENT_CHECK(atomic_announced, Void, announced, In(double, 15), Out(double, 15), Int(15))
GRADIENT_CHECK_BOUND(1e-10, atomic_wide, Double, wide, In(double, 8), Int(8))
