// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Communicators that live inside the function that is differentiated.
// Supports: communicators and grids created in the function
#include "GradientCheck.h"
#include <mpi.h>

static double rowsAndColumns(const double *x, int n) {
  int rank, size, dims[2] = {0, 0}, periods[2] = {1, 0}, keep[2] = {1, 0}, source, dest;
  MPI_Comm dup, parity, grid, line, few = MPI_COMM_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double a[4], b[4] = {1, 2, 3, 4}, sum = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Allreduce(x, a, n, MPI_DOUBLE, MPI_SUM, dup);
  MPI_Comm_split(dup, rank % 2, -rank, &parity);
  int where, among;
  MPI_Comm_rank(parity, &where);
  MPI_Comm_size(parity, &among);
  for (int i = 0; i < n; i++)
    a[i] *= x[i];
  MPI_Sendrecv(a, n, MPI_DOUBLE, (where + 1) % among, 3, b, n, MPI_DOUBLE,
               (where + among - 1) % among, 3, parity, MPI_STATUS_IGNORE);
  MPI_Comm_free(&parity);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(dup, 2, dims, periods, 0, &grid);
  for (int d = 0; d < 2; d++) {
    MPI_Cart_shift(grid, d, 1, &source, &dest);
    MPI_Sendrecv(b, n, MPI_DOUBLE, dest, d, a, n, MPI_DOUBLE, source, d, grid, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
      b[i] = 0.5 * b[i] + a[i] * x[n - 1 - i];
  }
  MPI_Cart_sub(grid, keep, &line);
  MPI_Bcast(b, n - 1, MPI_DOUBLE, 0, line);
  MPI_Comm_free(&line);
  MPI_Comm_free(&grid);
  MPI_Comm_split(dup, rank < 2 ? 0 : MPI_UNDEFINED, rank, &few);
  if (few != MPI_COMM_NULL) {
    MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_DOUBLE, MPI_MAX, few);
    MPI_Comm_free(&few);
  }
  MPI_Comm_free(&dup);
  for (int i = 0; i < n; i++)
    sum += b[i] * a[i] * (i + 1);
  return sum;
}

GRADIENT_CHECK(communicators, Double, rowsAndColumns, In(double, 4), Int(4))
