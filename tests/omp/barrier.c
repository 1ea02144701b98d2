// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two loops in one region, the second reads what other threads wrote in the first. One thread
// writes what another one reads, in loops of their own that meet: what is read changes while the
// reader's loop runs.
// Supports: `barrier`, `nowait`
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>

static void phases(const double *x, double *y, double *z, int n) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      y[i] = x[i] * x[i];
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; i++)
      z[i] = y[n - 1 - i] * x[i];
  }
}

GRADIENT_CHECK(barrier, Void, phases, In(double, 26), Out(double, 26), Out(double, 26), Int(26))

enum { Box = 16 };

static void fill(const double *x, double *box, int n, int steps) {
  for (long t = 0; t < steps; t++) {
    for (long i = 0; i < n; i++)
      box[i] = sin(x[i] * (t + 1));
#pragma omp barrier
#pragma omp barrier
  }
}

static double relayed(const double *x, int n, int steps) {
  double box[Box], sum = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      fill(x, box, n, steps);
    } else {
      double s = 0;
      for (long t = 0; t < steps; t++) {
#pragma omp barrier
        for (long i = 0; i < n - 2; i++)
          s += box[i] * box[i + 1] * box[i + 2] * box[i];
#pragma omp barrier
      }
      sum = s;
    }
  }
  return sum;
}

static double relayedPairs(const double *x, int n, int steps) {
  double box[Box], sum = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      fill(x, box, n, steps);
    } else {
      double s = 0;
      for (long t = 0; t < steps; t++) {
#pragma omp barrier
        for (long i = 0; i < n - 2; i++)
          for (long j = i + 1; j < n; j++)
            s += box[i] * box[j] * box[j];
#pragma omp barrier
      }
      sum = s;
    }
  }
  return sum;
}

GRADIENT_CHECK(barrier_relayed, Double, relayed, In(double, 10), Int(10), Int(4))
GRADIENT_CHECK(barrier_relayed_pairs, Double, relayedPairs, In(double, 10), Int(10), Int(4))
