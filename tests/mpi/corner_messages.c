// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages to oneself, to nobody, of no length, and shorter than the receive.
// Supports: `MPI_PROC_NULL`, empty, short and self messages
#include "GradientCheck.h"
#include <mpi.h>

static double corners(const double *x, int n) {
  int rank, size, count;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double a[6], b[6], c[6];
  MPI_Request requests[3];
  MPI_Status status;
  for (int i = 0; i < n; i++) {
    a[i] = x[i] * x[i];
    b[i] = 0.5 * x[i];
    c[i] = 2 * x[i];
  }
  MPI_Irecv(b + 1, n - 1, MPI_DOUBLE, rank, 9, comm, &requests[0]); // itself, short
  MPI_Send(a, 2, MPI_DOUBLE, rank, 9, comm);
  MPI_Wait(&requests[0], &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  MPI_Recv(b, n, MPI_DOUBLE, MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE);
  MPI_Send(b, n, MPI_DOUBLE, MPI_PROC_NULL, 1, comm);
  MPI_Isend(b, 0, MPI_DOUBLE, next, 2, comm, &requests[0]); // no length
  MPI_Irecv(c, n, MPI_DOUBLE, before, 2, comm, &requests[1]);
  requests[2] = MPI_REQUEST_NULL;
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Isend(b, 2, MPI_DOUBLE, next, 2, comm, &requests[0]); // twice, overlapping
  MPI_Isend(b + 1, 3, MPI_DOUBLE, next, 2, comm, &requests[1]);
  MPI_Recv(c, n, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  MPI_Recv(c + 2, n - 2, MPI_DOUBLE, MPI_ANY_SOURCE, 2, comm, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  double sum = count;
  for (int i = 0; i < n; i++)
    sum += (i + 1) * c[i] * b[i];
  return sum;
}

GRADIENT_CHECK(corner_messages, Double, corners, In(double, 6), Int(6))

/// What is told by a message of no length needs a variable, which holds nothing.
static double lastIsEmpty(const double *x, int n) {
  int rank, size, dummy = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double a[6], b[6], sum = 0;
  for (int i = 0; i < n; i++)
    a[i] = x[i] * x[i];
  for (int k = 0, length = n; k < 2; k++, length = 0) {
    MPI_Request request;
    if (length > 0)
      MPI_Irecv(b, length, MPI_DOUBLE, before, k, MPI_COMM_WORLD, &request);
    else
      MPI_Irecv(&dummy, 0, MPI_BYTE, before, k, MPI_COMM_WORLD, &request);
    if (length > 0)
      MPI_Send(a, length, MPI_DOUBLE, next, k, MPI_COMM_WORLD);
    else
      MPI_Send(&dummy, 0, MPI_BYTE, next, k, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < n; i++)
    sum += b[i] * b[i] * x[n - 1 - i];
  return sum;
}

GRADIENT_CHECK(last_is_empty, Double, lastIsEmpty, In(double, 6), Int(6))
