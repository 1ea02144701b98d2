// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats, long doubles and complex numbers.
// Supports: complex and `long double` messages
#include "GradientCheck.h"
#include <complex.h>
#include <mpi.h>

static double numbers(const double *x, int n) {
  int rank, size;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  long double l[4], m[4];
  double z[8], w[8], v[8];
  for (int i = 0; i < n; i++) {
    l[i] = (long double)x[i] * x[i];
    z[2 * i] = x[i];
    z[2 * i + 1] = x[i] * x[(i + 1) % n];
  }
  MPI_Sendrecv(l, n, MPI_LONG_DOUBLE, next, 1, m, n, MPI_LONG_DOUBLE, before, 1, comm,
               MPI_STATUS_IGNORE);
  MPI_Allreduce(z, w, n, MPI_C_DOUBLE_COMPLEX, MPI_SUM, comm);
  MPI_Allreduce(z, v, n, MPI_C_DOUBLE_COMPLEX, MPI_PROD, comm);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (double)m[i] * w[2 * i] * w[2 * i + 1] + v[2 * i] * x[i] + v[2 * i + 1];
  return sum;
}

GRADIENT_CHECK(number_types, Double, numbers, In(double, 4), Int(4))
