// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of which every rank gets a block.
// Supports: `Reduce_scatter(_block)`
#include "GradientCheck.h"
#include <mpi.h>

static double blocks(const double *x, int n) {
  int rank, size, counts[16], total = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double all[64], part[64] = {0};
  for (int r = 0; r < size; r++)
    total += counts[r] = r % 3 + (r == 0);
  for (int i = 0; i < total; i++)
    all[i] = x[i % n] * x[(i + 1) % n] * (1 + 0.1 * rank);
  MPI_Reduce_scatter(all, part, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double sum = 0;
  for (int i = 0; i < counts[rank]; i++)
    sum += (i + 1 + rank) * part[i] * part[i];
  for (int i = 0; i < 2 * size; i++)
    all[i] = x[i % n] + 0.3 * sum;
  MPI_Reduce_scatter_block(all, part, 2, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  sum += part[0] * part[1];
  MPI_Reduce_scatter_block(MPI_IN_PLACE, all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return sum + all[0] * all[0] + all[2 * size - 1];
}

GRADIENT_CHECK(reduce_scatter, Double, blocks, In(double, 4), Int(4))
