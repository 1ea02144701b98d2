// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value handed from rank to rank with Send and Recv; the last one returns it.
// Supports: `Send`, `Recv`, `Sendrecv`
#include "GradientCheck.h"
#include <mpi.h>

static double pipeline(const double *x, int n) {
  int rank, size;
  double value = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank > 0)
    MPI_Recv(&value, 1, MPI_DOUBLE, rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++)
    value = 0.5 * value * x[i] + x[i];
  if (rank + 1 < size)
    MPI_Send(&value, 1, MPI_DOUBLE, rank + 1, 5, MPI_COMM_WORLD);
  return rank + 1 == size ? value * value : 0;
}

GRADIENT_CHECK(pipeline, Double, pipeline, BlockIn(double, 12), BlockInt(12))
