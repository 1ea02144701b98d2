// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers of receives that are open when a loop begins, read in it at one place as they arrive.
// Supports: `Test`, `Testall`, `Testany`, `Testsome`, `Waitany`, `Waitsome`
#include "GradientCheck.h"
#include <mpi.h>

static double pending(const double *x, int n) {
  int rank, size, index, flag = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double a[2] = {0, 0}, b[2] = {0, 0}, c = 0, out[4], u = 1, sum = 0;
  MPI_Request requests[2], sends[3], last;
  for (int i = 0; i < n; i++)
    out[i] = x[i] * x[i];
  MPI_Irecv(a, 2, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(b, 2, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv(&c, 1, MPI_DOUBLE, before, 3, MPI_COMM_WORLD, &last);
  MPI_Isend(out, 2, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &sends[0]);
  MPI_Isend(out + 2, 2, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, &sends[1]);
  for (int k = 0; k < 2; k++) {
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    if (index == 0)
      sum += a[0] * a[1] * x[0];
    else
      sum += b[0] * b[0] * b[1];
  }
  MPI_Isend(out + 1, 1, MPI_DOUBLE, next, 3, MPI_COMM_WORLD, &sends[2]);
  while (!flag) {
    MPI_Test(&last, &flag, MPI_STATUS_IGNORE);
    if (flag)
      u *= c * c;
  }
  MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
  return sum * u;
}

/// What a status says is complete may be read before the call that frees the request.
static double seen(const double *x, int n) {
  int rank, size, flag = 0, rounds = 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double in[4] = {0, 0, 0, 0}, out[4], all[2] = {0, 0}, sum = 0;
  MPI_Request requests[2], last, everybody, kept;
  MPI_Status status; // by its name in Fortran, Open MPI says "not complete" if it is to be ignored
  for (int i = 0; i < n; i++)
    out[i] = x[i] * x[(i + 1) % n];
  MPI_Iallreduce(x, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &everybody);
  MPI_Irecv(in, 2, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in + 2, 1, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv_init(in + 3, 1, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, &kept);
  MPI_Send(out, 2, MPI_DOUBLE, next, 1, MPI_COMM_WORLD);
  MPI_Isend(out + 2, 1, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &last);
  for (int i = 1; i >= 0; i--)
    for (flag = 0; !flag;)
      MPI_Request_get_status(requests[i], &flag, &status);
  sum += in[0] * in[1] * in[2];
  in[2] = in[0] * x[0];
  for (flag = 0; !flag;)
    MPI_Request_get_status(last, &flag, &status);
  out[2] *= in[2];
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Wait(&last, MPI_STATUS_IGNORE);
  while (rounds-- > 0) {
    MPI_Start(&kept);
    MPI_Send(out + 2 + rounds, 1, MPI_DOUBLE, next, 2, MPI_COMM_WORLD);
    for (flag = 0; !flag;)
      MPI_Request_get_status(kept, &flag, &status);
    sum += in[3] * in[3] * x[rounds];
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&kept);
  for (flag = 0; !flag;)
    MPI_Request_get_status(everybody, &flag, &status);
  sum *= all[0] * all[1];
  MPI_Wait(&everybody, MPI_STATUS_IGNORE);
  return sum + in[2] * out[2];
}

GRADIENT_CHECK(seen, Double, seen, In(double, 4), Int(4))
GRADIENT_CHECK(pending, Double, pending, In(double, 4), Int(4))
