// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI between ranks and OpenMP within: a stencil with halo exchange and both kinds of reduction.
// Supports: with OpenMP inside a rank
#include "GradientCheck.h"
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

static void exchange(double *u, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Request requests[4];
  MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&u[n + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&u[n], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static double march(const double *field, const double *friction, int n, int steps) {
  double *u = malloc((n + 2) * sizeof *u), *v = malloc((n + 2) * sizeof *v);
  double misfit = 0;
  for (int i = 0; i < n; i++)
    u[i + 1] = field[i];
  for (int s = 0; s < steps; s++) {
    double speed = 0, fastest = 0;
#pragma omp parallel for reduction(max : speed)
    for (int i = 1; i <= n; i++)
      speed = fmax(speed, sqrt(u[i]));
    MPI_Allreduce(&speed, &fastest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    exchange(u, n);
    double dt = 0.2 / fastest;
#pragma omp parallel for
    for (int i = 1; i <= n; i++)
      v[i] = u[i] + dt * u[i] * (u[i - 1] - 2 * u[i] + u[i + 1]) - *friction * dt * u[i] * u[i];
    double *t = u;
    u = v;
    v = t;
    double mine = 0, all = 0;
#pragma omp parallel for reduction(+ : mine)
    for (int i = 1; i <= n; i++)
      mine += (u[i] - 1) * (u[i] - 1);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    misfit += all;
  }
  free(u);
  free(v);
  return misfit;
}

GRADIENT_CHECK(hybrid, Replicated, march, BlockIn(double, 36), SameIn(double, 1), BlockInt(36),
               Int(4))
