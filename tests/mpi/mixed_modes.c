// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Isend matched by Recv, Send matched by Irecv, with a barrier in between.
// Supports: `Isend`, `Irecv`, `Wait`, `Waitall`
#include "GradientCheck.h"
#include <mpi.h>

static double mixed(double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  double in[8];
  MPI_Request request;
  MPI_Isend(x, n, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &request);
  MPI_Recv(in, n, MPI_DOUBLE, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++)
    x[i] = x[i] * in[n - 1 - i];
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Irecv(in, n, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &request);
  MPI_Send(x, n, MPI_DOUBLE, previous, 2, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += in[i] * x[i] * x[0];
  return sum;
}

GRADIENT_CHECK(mixed_modes, Double, mixed, InOut(double, 5), Int(5))
