// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every send mode, blocking and not, round a ring.
// Supports: `Ssend`, `Bsend`, `Rsend`, their `I`-forms, `Sendrecv_replace`
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

static double modes(const double *x, int n) {
  int rank, size;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double a[4], b[4], c[4], d[4];
  MPI_Request request, sending;
  for (int i = 0; i < n; i++)
    a[i] = x[i] * x[i];
  MPI_Irecv(b, n, MPI_DOUBLE, before, 1, comm, &request);
  MPI_Ssend(a, n, MPI_DOUBLE, next, 1, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(c, n, MPI_DOUBLE, before, 2, comm, &request);
  MPI_Barrier(comm);
  MPI_Rsend(b, n, MPI_DOUBLE, next, 2, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int room = 8 * (n * (int)sizeof(double) + MPI_BSEND_OVERHEAD), size_of_room;
  char *buffer = malloc(room);
  MPI_Buffer_attach(buffer, room);
  for (int i = 0; i < n; i++)
    c[i] *= a[i];
  MPI_Bsend(c, n, MPI_DOUBLE, next, 3, comm);
  MPI_Recv(d, n, MPI_DOUBLE, before, 3, comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++)
    d[i] *= x[n - 1 - i];
  MPI_Irecv(a, n, MPI_DOUBLE, before, 4, comm, &request);
  MPI_Issend(d, n, MPI_DOUBLE, next, 4, comm, &sending);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(b, n, MPI_DOUBLE, before, 5, comm, &request);
  MPI_Barrier(comm);
  MPI_Irsend(a, n, MPI_DOUBLE, next, 5, comm, &sending);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  MPI_Ibsend(b, n, MPI_DOUBLE, next, 6, comm, &sending);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  MPI_Recv(c, n, MPI_DOUBLE, before, 6, comm, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&buffer, &size_of_room);
  free(buffer);
  MPI_Sendrecv_replace(c, n, MPI_DOUBLE, before, 7, next, 7, comm, MPI_STATUS_IGNORE);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (i + 1) * c[i] * x[i];
  return sum;
}

GRADIENT_CHECK(send_modes, Double, modes, In(double, 4), Int(4))
