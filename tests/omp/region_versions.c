// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that run different versions of one divided loop: the optimiser makes a loop of each
// branch whose condition does not change. What one thread does another one does the next time, so
// that the size of the team does not matter.
#include "GradientCheck.h"
#include <omp.h>

enum { n = 160 };

// The versions look at different neighbours.
static void neighbours(const double *x, double *y) {
  double u[2][n] = {{0}};
#pragma omp parallel
  for (int turn = 0; turn < 2; turn++) {
    const int mine = (omp_get_thread_num() + turn) % 2;
    double *v = u[turn];
#pragma omp for schedule(static)
    for (int i = 1; i < n - 1; i++) {
      if (mine)
        v[i] = x[i - 1] * x[i - 1];
      else
        v[i] = x[i + 1] * x[0];
    }
  }
  for (int i = 0; i < n; i++)
    y[i] = u[0][i] + u[1][i];
}

// One version has nothing to add.
static void idle(const double *x, double *y) {
  double u[2][n] = {{0}};
#pragma omp parallel
  {
    const int mine = omp_get_thread_num() % 2;
#pragma omp for schedule(static)
    for (int i = 1; i < n - 1; i++) {
      if (mine)
        u[0][i] = x[i - 1] * x[i + 1];
      else
        u[0][i] = 0.5 * i;
    }
#pragma omp for schedule(static)
    for (int i = 1; i < n - 1; i++)
      if (!mine)
        u[1][i] = x[i - 1] * x[i + 1];
      else
        u[1][i] = 0.5 * i;
  }
  for (int i = 0; i < n; i++)
    y[i] = u[0][i] + u[1][i];
}

GRADIENT_CHECK(versions_of_neighbours, Void, neighbours, In(double, n), Out(double, n))
GRADIENT_CHECK(versions_idle, Void, idle, In(double, n), Out(double, n))
