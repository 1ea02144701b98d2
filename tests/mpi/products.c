// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with zeros among the factors, and extrema with their places.
// Supports: `PROD` with zeros, `MINLOC`, `MAXLOC`, logical and bitwise operators
#include "GradientCheck.h"
#include <mpi.h>

struct place {
  double value;
  int rank;
};

static double products(double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double p[4], q[4];
  for (int i = 0; i < n; i++)
    p[i] = i == 1 && rank == 0 ? x[i] - x[i] : i == 2 ? 0 * x[i] : x[i];
  MPI_Allreduce(p, q, n, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  struct place in = {x[0] * x[1], rank}, out;
  MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  struct place least = {x[2], 7 - rank}, first = {0, 0};
  MPI_Reduce(&least, &first, 1, MPI_DOUBLE_INT, MPI_MINLOC, size - 1, MPI_COMM_WORLD);
  double sum = out.value * (out.rank + 1);
  if (rank == size - 1)
    sum += first.value * first.value;
  for (int i = 0; i < n; i++)
    sum += q[i] * (i + 1);
  // Operators that move no derivative.
  int flag = x[0] > 1, any = 0, bits = 0;
  MPI_Allreduce(&flag, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  MPI_Allreduce(&flag, &bits, 1, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
  return any ? sum * x[3] : sum * x[2];
}

GRADIENT_CHECK(products, Double, products, InOut(double, 4), Int(4))
