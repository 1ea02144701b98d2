// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that fail and say so: what did not happen has no reverse.
// Supports: calls that return an error code
#include "GradientCheck.h"
#include <mpi.h>

enum { n = 4 };

/// What was asked for cannot be.
static int fails(const double *out, double *in, MPI_Comm comm) {
  int size, failed = 0;
  MPI_Comm_size(comm, &size);
  MPI_Request request = MPI_REQUEST_NULL;
  failed += MPI_Send(out, n, MPI_DOUBLE, size + 5, 0, comm) != MPI_SUCCESS;
  failed += MPI_Isend(out, n, MPI_DOUBLE, size + 5, 0, comm, &request) != MPI_SUCCESS;
  failed += MPI_Irecv(in, n, MPI_DOUBLE, size + 5, 0, comm, &request) != MPI_SUCCESS;
  failed += MPI_Recv(in, n, MPI_DOUBLE, size + 5, 0, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  failed += MPI_Sendrecv(out, n, MPI_DOUBLE, size + 5, 9, in, n, MPI_DOUBLE, 0, 9, comm,
                         MPI_STATUS_IGNORE) != MPI_SUCCESS;
  failed += MPI_Reduce(out, in, n, MPI_DOUBLE, MPI_SUM, size + 5, comm) != MPI_SUCCESS;
  failed += MPI_Bcast(in, n, MPI_DOUBLE, size + 5, comm) != MPI_SUCCESS;
  failed += MPI_Send(out, n, MPI_DATATYPE_NULL, 0, 0, comm) != MPI_SUCCESS;
  failed += MPI_Recv(in, n, MPI_DATATYPE_NULL, 0, 0, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  failed += MPI_Allreduce(out, in, n, MPI_DATATYPE_NULL, MPI_SUM, comm) != MPI_SUCCESS;
  return failed;
}

static double goesOn(const double *x, double *y) {
  int rank, size;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  double out[n], in[n], sum = 0;
  for (int i = 0; i < n; i++) {
    out[i] = x[i] * x[i];
    in[i] = 0.5 * x[(i + 1) % n];
  }
  const int failed = fails(out, in, comm);
  for (int i = 0; i < n; i++)
    y[i] = in[i] * failed;
  const int code = MPI_Sendrecv(out, n, MPI_DOUBLE, (rank + 1) % size, 9, in, n, MPI_DOUBLE,
                                (rank + size - 1) % size, 9, comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < n && code == MPI_SUCCESS; i++) {
    y[i] *= in[i] * x[i];
    sum += y[i] * y[i];
  }
  MPI_Comm_free(&comm);
  return sum;
}

GRADIENT_CHECK(failing_calls, Double, goesOn, In(double, n), Out(double, n))
