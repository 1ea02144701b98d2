// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local reductions, receives that are cancelled, files, PMPI names, error handlers, clocks.
// Supports: `Reduce_local`, `Cancel`, files, `PMPI_` names
#include "GradientCheck.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double local(const double *x, int n) {
  double a[4], b[4], c[4], sum = 0;
  for (int i = 0; i < n; i++) {
    a[i] = x[i] * x[i];
    b[i] = x[n - 1 - i];
    c[i] = 1 + x[i];
  }
  MPI_Reduce_local(x, a, n, MPI_DOUBLE, MPI_SUM);
  MPI_Reduce_local(a, b, n, MPI_DOUBLE, MPI_PROD);
  MPI_Reduce_local(b, c, n, MPI_DOUBLE, MPI_MAX);
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i] * c[i];
  return sum;
}

GRADIENT_CHECK(local_reductions, Double, local, In(double, 4), Int(4))

static double cancelled(const double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  double a[4], b[4] = {1, 2, 3, 4}, start = MPI_Wtime(), sum = 0;
  MPI_Request request;
  PMPI_Irecv(b, n, MPI_DOUBLE, (rank + 1) % size, 78, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  PMPI_Sendrecv(x, n, MPI_DOUBLE, (rank + 1) % size, 77, a, n, MPI_DOUBLE, (rank + size - 1) % size,
                77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (MPI_Wtime() < start)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < n; i++)
    sum += a[i] * a[i] * b[i] * x[i];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  return sum;
}

GRADIENT_CHECK(cancelled_receives, Double, cancelled, In(double, 4), Int(4))

static double files(const double *x, int n) {
  char name[64];
  double a[4], fixed[4] = {0.5, 1, 1.5, 2}, sum = 0;
  MPI_File file;
  snprintf(name, sizeof name, "odds_and_ends.%d", (int)getpid());
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 0, fixed, 4, MPI_DOUBLE, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++)
    a[i] = x[i] * x[i];
  sum = a[0] * a[1];
  MPI_File_read_at(file, 0, a, 2, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  for (int i = 0; i < n; i++)
    sum += a[i] * x[i];
  return sum;
}

GRADIENT_CHECK(files, Double, files, In(double, 4), Int(4))
