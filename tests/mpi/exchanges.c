// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allgather, Alltoall and their v- and w-forms.
// Supports: `Allgather(v)`, `Alltoall(v, w)`
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

enum { N = 3, Most = 16 };

static double weigh(const double *v, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (1 + i % 5) * v[i] * v[i];
  return sum;
}

static double exchanges(const double *x, int n) {
  int rank, size, counts[Most], starts[Most], back[Most], backStarts[Most];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double a[Most * N], b[Most * N], sum;
  MPI_Allgather(x, n, MPI_DOUBLE, a, n, MPI_DOUBLE, MPI_COMM_WORLD);
  sum = weigh(a, size * n) * (rank + 1);
  for (int r = 0; r < size; r++) {
    counts[r] = 1 + r % 3;
    starts[r] = N * r;
  }
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, counts, starts, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int r = 0; r < size; r++) {
    counts[r] = (rank + r) % 3;
    back[r] = (r + rank) % 3;
    backStarts[r] = N * (size - 1 - r);
  }
  MPI_Alltoallv(b, counts, starts, MPI_DOUBLE, a, back, backStarts, MPI_DOUBLE, MPI_COMM_WORLD);
  return sum + weigh(a, size * n) + weigh(b, size * n);
}

GRADIENT_CHECK(exchanges, Double, exchanges, In(double, N), Int(N))

static double exchangeTypes(const double *x, double *y, int n) {
  int rank, size, ones[Most], places[Most];
  MPI_Datatype types[Most], pair;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double a[Most * N];
  for (int i = 0; i < size * N; i++)
    a[i] = x[i % n] * (i + 1) * 0.2;
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  for (int r = 0; r < size; r++) {
    ones[r] = 1;
    places[r] = r * N * (int)sizeof(double);
    types[r] = pair;
  }
  double b[Most * N] = {0};
  MPI_Alltoallw(a, ones, places, types, b, ones, places, types, MPI_COMM_WORLD);
  MPI_Type_free(&pair);
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int r = 0; r < size; r++)
      y[i] += b[N * r + i] * a[i];
  }
  return y[0] * y[n - 1];
}

GRADIENT_CHECK(exchange_types, Double, exchangeTypes, In(double, N), Out(double, N), Int(N))
