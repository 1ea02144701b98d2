// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests completed one by one, out of order, with work between; several messages to one rank.
// Supports: `Isend`, `Irecv`, `Wait`, `Waitall`
#include "GradientCheck.h"
#include <mpi.h>

static double overlap(double *x, double *halo, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Request first, second, send[2];
  MPI_Irecv(halo, 2, MPI_DOUBLE, previous, 10, MPI_COMM_WORLD, &first);
  MPI_Irecv(halo + 2, 1, MPI_DOUBLE, previous, 11, MPI_COMM_WORLD, &second);
  MPI_Isend(x, 2, MPI_DOUBLE, next, 10, MPI_COMM_WORLD, &send[0]);
  MPI_Isend(x + n - 1, 1, MPI_DOUBLE, next, 11, MPI_COMM_WORLD, &send[1]);
  double inner = 0;
  for (int i = 1; i + 1 < n; i++)
    inner += x[i] * x[i] * x[i - 1];
  MPI_Status status;
  MPI_Wait(&second, &status);
  inner *= halo[2];
  MPI_Wait(&send[0], MPI_STATUS_IGNORE);
  x[0] *= 2;
  MPI_Wait(&first, MPI_STATUS_IGNORE);
  inner += halo[0] * halo[1] * x[0];
  MPI_Wait(&send[1], MPI_STATUS_IGNORE);
  x[n - 1] = inner;
  return inner;
}

GRADIENT_CHECK(wait_separately, Double, overlap, InOut(double, 6), Out(double, 3), Int(6))
