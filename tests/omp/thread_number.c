// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations divided by hand with the thread's number and the size of the team.
#include "GradientCheck.h"
#include <omp.h>

static void divided(const double *x, double *y, int n) {
#pragma omp parallel
  {
    int t = omp_get_thread_num(), team = omp_get_num_threads();
    for (int i = t; i < n; i += team)
      y[i] = x[i] * x[(i + 1) % n];
#pragma omp barrier
    int low = n * t / team, high = n * (t + 1) / team;
    for (int i = low; i < high; i++)
      y[i] += i % 2 ? 0 : x[i] * x[i];
  }
}

GRADIENT_CHECK(thread_number, Void, divided, In(double, 28), Out(double, 28), Int(28))
