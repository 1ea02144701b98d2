// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of the sequentially last iteration survives.
// Supports: `lastprivate`
#include "GradientCheck.h"
#include <omp.h>

static double last(const double *x, double *y, int n) {
  double t = 0;
#pragma omp parallel for lastprivate(t)
  for (int i = 0; i < n; i++) {
    t = x[i] * x[i];
    y[i] = t + x[i];
  }
  return t * t;
}

GRADIENT_CHECK(lastprivate, Double, last, In(double, 19), Out(double, 19), Int(19))

// Threads meet at the ends of their pieces, and only the last iteration gives the value.
static double last_beside(const double *x, double *y, int n) {
  double t = 0, u[2] = {0, 0};
#pragma omp parallel for schedule(static) lastprivate(t, u)
  for (int i = 0; i < n - 1; i++) {
    t = x[i] * x[i];
    u[0] = x[i] * 2;
    u[1] = u[0] * x[i];
    y[i] = t * x[i + 1] + u[1];
  }
  y[n - 1] = 0;
  return t * t + u[0] * u[1];
}

GRADIENT_CHECK(lastprivate_beside, Double, last_beside, In(double, 49), Out(double, 49), Int(49))

// What a thread keeps in memory of its own from iteration to iteration: it computes the flux
// through the left side of its first cell once more.
static void fluxes(const double *x, double *y, int n) {
  double shared[64];
  y[0] = 0;
#pragma omp parallel
  {
    double w[2], *own = shared + omp_get_thread_num() % 32 * 2;
    int done = 0;
#pragma omp for schedule(static)
    for (int i = 1; i < n; i++) {
      if (!done) {
        w[(i - 1) % 2] = x[i - 1] * x[i - 1];
        own[1] = x[i - 1] * 3;
      }
      w[i % 2] = x[i] * x[i];
      y[i] = w[i % 2] - w[(i - 1) % 2] + own[1] * x[i];
      own[1] = x[i] * 3;
      done = 1;
    }
  }
}

GRADIENT_CHECK(lastprivate_fluxes, Void, fluxes, In(double, 49), Out(double, 49), Int(49))
