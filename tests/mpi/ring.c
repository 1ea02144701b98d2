// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages around a ring with Send and Recv; one rank breaks the cycle.
// Supports: `Send`, `Recv`, `Sendrecv`
#include "GradientCheck.h"
#include <mpi.h>

static double ring(double *x, double *y, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  double sum = 0;
  if (size == 1)
    return x[0] * y[0];
  for (int turn = 0; turn < 3; turn++) {
    if (rank == 0) {
      MPI_Send(x, n, MPI_DOUBLE, next, turn, MPI_COMM_WORLD);
      MPI_Recv(y, n, MPI_DOUBLE, previous, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(y, n, MPI_DOUBLE, previous, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(x, n, MPI_DOUBLE, next, turn, MPI_COMM_WORLD);
    }
    for (int i = 0; i < n; i++) {
      x[i] = x[i] * y[i] + 0.1;
      sum += x[i];
    }
  }
  return sum;
}

GRADIENT_CHECK(ring, Double, ring, InOut(double, 4), InOut(double, 4), Int(4))
