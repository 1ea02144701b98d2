// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages and a sum in single precision.
// Supports: `float` messages
#include "GradientCheck.h"
#include <mpi.h>

static float exchange(const float *x, float *y, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Request requests[2];
  MPI_Irecv(y, n, MPI_FLOAT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(x, n, MPI_FLOAT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  float mine = 0, all = 0;
  for (int i = 0; i < n; i++)
    mine += x[i] * y[i];
  MPI_Allreduce(&mine, &all, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  return all * x[0];
}

GRADIENT_CHECK(single_precision, Float, exchange, In(float, 5), Out(float, 5), Int(5))
