// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums to a root; only the root goes on, with what the others gave it.
// Supports: `Reduce`, `Allreduce` with `SUM`, `MIN`, `MAX`, `MPI_IN_PLACE`
#include "GradientCheck.h"
#include <mpi.h>

static double moments(const double *x, int n) {
  int rank;
  double mine[2] = {0, 0}, all[2] = {0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < n; i++) {
    mine[0] += x[i];
    mine[1] += x[i] * x[i] * x[i];
  }
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  mine[0] = 0;
  return rank == 0 ? all[0] * all[1] : 0;
}

static double extremes(const double *x, int n) {
  int rank, size;
  double mine = 0, low = 0, high = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < n; i++)
    mine += x[i] * x[i];
  MPI_Reduce(&mine, &low, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine, &high, 1, MPI_DOUBLE, MPI_MAX, size - 1, MPI_COMM_WORLD);
  return (rank == 0 ? low * low : 0) + (rank == size - 1 ? 3 * high : 0) + mine;
}

GRADIENT_CHECK(reduce_sum, Double, moments, BlockIn(double, 24), BlockInt(24))
GRADIENT_CHECK(reduce_extremes, Double, extremes, In(double, 3), Int(3))
