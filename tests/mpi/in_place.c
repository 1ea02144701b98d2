// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions with MPI_IN_PLACE, on all ranks and at a root.
// Supports: `Reduce`, `Allreduce` with `SUM`, `MIN`, `MAX`, `MPI_IN_PLACE`
#include "GradientCheck.h"
#include <mpi.h>

static double sums(double *x, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < n; i++)
    x[i] *= x[i];
  MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double mine = x[0] * x[1] * (rank + 1);
  if (rank == 0)
    MPI_Reduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  else
    MPI_Reduce(&mine, 0, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return rank == 0 ? mine * mine : x[n - 1];
}

GRADIENT_CHECK(in_place, Double, sums, InOut(double, 3), Int(3))
