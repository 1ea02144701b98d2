// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A time step from the largest speed of all ranks, the smallest value, and values on which all tie.
// Supports: `Reduce`, `Allreduce` with `SUM`, `MIN`, `MAX`, `MPI_IN_PLACE`
#include "GradientCheck.h"
#include <math.h>
#include <mpi.h>

static double timeStep(double *u, int n, int steps) {
  double time = 0;
  for (int s = 0; s < steps; s++) {
    double speed = 0, fastest = 0;
    for (int i = 0; i < n; i++)
      speed = fmax(speed, sqrt(u[i]));
    MPI_Allreduce(&speed, &fastest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double dt = 0.1 / fastest;
    for (int i = 0; i < n; i++)
      u[i] += dt * u[i] * u[i];
    time += dt;
  }
  return time;
}

static double smallest(const double *x, int n) {
  double mine[2] = {x[0] * x[0], x[1]}, all[2];
  for (int i = 1; i < n; i++)
    mine[0] = fmin(mine[0], x[i] * x[i]);
  MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  return all[0] * all[1];
}

// Every rank computes the same number from what it was sent, so all hold the extreme at once.
static double ties(double *x, int n) {
  MPI_Bcast(x, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  double mine = 0, high = 0, low = 0;
  for (int i = 0; i < n; i++)
    mine += x[i] * x[i];
  MPI_Allreduce(&mine, &high, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&mine, &low, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  return high * high + low;
}

GRADIENT_CHECK(allreduce_time_step, Replicated, timeStep, BlockInOut(double, 12), BlockInt(12),
               Int(3))
GRADIENT_CHECK(allreduce_smallest, Replicated, smallest, In(double, 5), Int(5))
GRADIENT_CHECK(allreduce_ties, Replicated, ties, InOut(double, 3), Int(3))
