// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks of different roles: the first collects from each of the others in turn.
// Supports: `Send`, `Recv`, `Sendrecv`
#include "GradientCheck.h"
#include <math.h>
#include <mpi.h>

static double collect(const double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double part[2] = {0, 1};
  for (int i = 0; i < n; i++) {
    part[0] += exp(-x[i]);
    part[1] *= 1 + 0.1 * x[i];
  }
  if (rank != 0) {
    MPI_Send(part, 2, MPI_DOUBLE, 0, rank, MPI_COMM_WORLD);
    return 0;
  }
  double sum = part[0], product = part[1];
  for (int r = 1; r < size; r++) {
    MPI_Recv(part, 2, MPI_DOUBLE, r, r, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += part[0];
    product *= part[1];
  }
  return sum * product;
}

GRADIENT_CHECK(roles, Double, collect, BlockIn(double, 12), BlockInt(12))
