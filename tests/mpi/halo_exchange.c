// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A periodic non-linear stencil whose halo travels with Isend, Irecv and Waitall in every step.
// Supports: `Isend`, `Irecv`, `Wait`, `Waitall`
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

static double march(double *field, double k, int n, int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  double *u = malloc((n + 2) * sizeof *u), *v = malloc((n + 2) * sizeof *v);
  for (int i = 0; i < n; i++)
    u[i + 1] = field[i];
  for (int s = 0; s < steps; s++) {
    MPI_Request requests[4];
    MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&u[n + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&u[n], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= n; i++)
      v[i] = u[i] + 0.1 * k * u[i] * (u[i - 1] - 2 * u[i] + u[i + 1]);
    double *t = u;
    u = v;
    v = t;
  }
  double energy = 0;
  for (int i = 0; i < n; i++) {
    field[i] = u[i + 1];
    energy += field[i] * field[i];
  }
  free(u);
  free(v);
  return energy;
}

GRADIENT_CHECK(halo_exchange, Double, march, BlockInOut(double, 24), SameScalar(double),
               BlockInt(24), Int(4))
