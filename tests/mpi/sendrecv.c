// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shift with Sendrecv, buffers that are parts of one array.
// Supports: `Send`, `Recv`, `Sendrecv`
#include "GradientCheck.h"
#include <mpi.h>

static void shift(double *x, int n, int turns) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int t = 0; t < turns; t++) {
    MPI_Sendrecv(x, 2, MPI_DOUBLE, (rank + 1) % size, 3, x + n - 2, 2, MPI_DOUBLE,
                 (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
      x[i] = x[i] * x[n - 1 - i] * 0.7 + 0.2;
  }
}

GRADIENT_CHECK(sendrecv, Void, shift, InOut(double, 6), Int(6), Int(3))
