// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages that carry constants on some ranks only, and results that nobody uses.
// Supports: messages of constants, `MPI_PROC_NULL`
#include "GradientCheck.h"
#include <mpi.h>

static double partly(const double *x, const double *table, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double out[4], in[4], ignored = 0, sum = 0;
  for (int i = 0; i < n; i++)
    out[i] = rank % 2 ? table[i] : x[i] * x[i];
  MPI_Sendrecv(out, n, MPI_DOUBLE, (rank + 1) % size, 0, in, n, MPI_DOUBLE,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(&out[0], &ignored, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    sum += in[i] * x[i];
  return sum;
}

GRADIENT_CHECK(inactive_messages, Double, partly, In(double, 4), Const(double, 4), Int(4))
