// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix is transposed over the ranks with column types, as in a distributed Fourier transform.
// Supports: derived datatypes
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

enum { N = 12 };

static double transform(const double *x, int rows) {
  double *a = malloc((unsigned)rows * N * sizeof *a), *b = calloc((unsigned)rows * N, sizeof *b);
  MPI_Datatype column, columns;
  MPI_Type_vector(rows, 1, N, MPI_DOUBLE, &column);
  MPI_Type_create_resized(column, 0, sizeof(double), &columns);
  MPI_Type_commit(&columns);
  for (int i = 0; i < rows * N; i++)
    a[i] = x[i] * x[(i + 1) % (rows * N)];
  for (int s = 0; s < 2; s++) {
    for (int i = 0; i < rows; i++)
      for (int j = 1; j < N; j++)
        a[i * N + j] += 0.3 * a[i * N + j - 1] * a[i * N + j];
    // Block p of columns goes to rank p, column after column.
    MPI_Alltoall(a, rows, columns, b, rows * rows, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < rows * N; i++)
      a[i] = b[i];
  }
  double sum = 0, all;
  for (int i = 0; i < rows * N; i++)
    sum += a[i] * a[i] * (1 + i % 3);
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Type_free(&columns);
  MPI_Type_free(&column);
  free(a);
  free(b);
  return all;
}

GRADIENT_CHECK(transposition, Double, transform, In(double, 144), BlockInt(12))
