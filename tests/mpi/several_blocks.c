// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives whose blocks lie in two arrays each: the datatype leads from one to the other.
// Supports: datatypes that lead from the buffer to other objects
#include "GradientCheck.h"
#include "TwoArrays.h"
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

// Blocks of two arrays for every rank, in order and in place.
static double movements(const double *x, double *y, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int all = size * n, mine = rank * n;
  double *u = malloc((size_t)(4 * all) * sizeof *u), *v = malloc((size_t)all * sizeof *v), sum = 0;
  int *counts = malloc((size_t)size * sizeof *counts),
      *starts = malloc((size_t)size * sizeof *starts);
  for (int i = 0; i < all; i++) {
    u[i] = x[i % n] * (i + 1);
    v[i] = exp(-u[i]);
    counts[i % size] = n;
    starts[i % size] = i % size * n;
  }
  MPI_Datatype narrow = pair(u, v, 1, 1), both;
  MPI_Type_create_resized(narrow, 0, sizeof *u, &both);
  MPI_Type_commit(&both);
  MPI_Alltoallv(u, counts, starts, both, u + 2 * all, counts, starts, MPI_2DOUBLE_PRECISION,
                MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) {
    u[mine + i] = u[2 * all + i] * x[i];
    v[mine + i] = u[2 * all + n + i];
  }
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, u, n, both, MPI_COMM_WORLD);
  for (int i = 0; i < all; i++)
    sum += u[i] * v[all - 1 - i];
  MPI_Gatherv(u + mine, n, MPI_DOUBLE, u + 2 * all, counts, starts, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatter(u, n, both, rank == 0 ? MPI_IN_PLACE : u + 2 * all, n, MPI_2DOUBLE_PRECISION, 0,
              MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    y[i] = rank == 0 ? v[i] * u[i] : u[2 * all + i] * x[i];
  MPI_Type_free(&narrow);
  MPI_Type_free(&both);
  free(u);
  free(v);
  free(counts);
  free(starts);
  return sum;
}

GRADIENT_CHECK(several_blocks, Double, movements, In(double, 3), Out(double, 3), Int(3))
