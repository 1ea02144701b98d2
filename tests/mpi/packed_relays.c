// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one rank has packed travels as bytes, through memory of the next one that holds numbers at
// other times. The packed ones lie elsewhere, and the last of them ends behind the last place for
// one.
// Supports: packed values that travel as `MPI_BYTE` and are passed on
#include "GradientCheck.h"
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

enum { n = 6, room = sizeof(int) + n * sizeof(double) };

static double relay(const double *x) {
  int rank, size, count = n, position = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  char *out = malloc(room), *in = malloc(room);
  double *work = calloc(n + 1, sizeof *work), taken[n], sum = 0;
  for (int i = 0; i < n; i++)
    work[i] = x[i] * x[i];
  for (int i = 0; i < n; i++)
    sum += work[i] * work[n - 1 - i];
  MPI_Pack(&count, 1, MPI_INT, out, room, &position, MPI_COMM_WORLD);
  MPI_Pack(x, n, MPI_DOUBLE, out, room, &position, MPI_COMM_WORLD);
  MPI_Sendrecv(out, room, MPI_BYTE, next, 1, work, room, MPI_BYTE, last, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(work, room, MPI_BYTE, next, 2, in, room, MPI_BYTE, last, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  position = 0;
  MPI_Unpack(in, room, &position, &count, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(in, room, &position, taken, n, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    sum += taken[i] * sin(taken[i]) * x[i];
  free(work);
  free(in);
  free(out);
  return sum;
}

GRADIENT_CHECK(packed_relays, Double, relay, In(double, n))
