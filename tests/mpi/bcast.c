// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Broadcasts from the first and from the last rank, of arrays and of an integer.
// Supports: `Bcast`
#include "GradientCheck.h"
#include <mpi.h>

static double broadcast(double *parameters, const double *x, int n) {
  int rank, size, count = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    count = n;
  MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(parameters, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += parameters[0] * x[i] + parameters[1] * x[i] * x[i];
  double factor = sum;
  MPI_Bcast(&factor, 1, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
  return sum * factor;
}

GRADIENT_CHECK(bcast, Double, broadcast, InOut(double, 2), In(double, 5), Int(5))
