// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gather, Scatter and their v-forms: roots at both ends, gaps, blocks of different sizes, in place.
// Supports: `Gather(v)`, `Scatter(v)`, `MPI_IN_PLACE`
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

static double gathers(const double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double mine[4], sum = 0;
  double *all = malloc((unsigned)size * 5 * sizeof *all);
  for (int i = 0; i < size * 5; i++)
    all[i] = 0.1 * i;
  for (int i = 0; i < n; i++)
    mine[i] = x[i] * x[i] + rank;
  MPI_Gather(mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0)
    for (int i = 0; i < size * n; i++)
      all[i] *= all[(i + 3) % (size * n)];
  if (rank == 0)
    MPI_Scatter(all, n, MPI_DOUBLE, MPI_IN_PLACE, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  else
    MPI_Scatter(NULL, 0, MPI_DOUBLE, mine, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    sum += (i + 1) * mine[i] * x[i];
  // One value more on every rank; one value of gap between the blocks.
  int counts[16], starts[16];
  for (int r = 0; r < size; r++) {
    counts[r] = r % 4;
    starts[r] = 5 * (size - 1 - r) + 1;
  }
  MPI_Gatherv(mine, rank % 4, MPI_DOUBLE, all, counts, starts, MPI_DOUBLE, size - 1,
              MPI_COMM_WORLD);
  if (rank == size - 1)
    for (int i = 1; i < size * 5; i++)
      all[i] *= 0.5 + all[i - 1];
  MPI_Scatterv(all, counts, starts, MPI_DOUBLE, mine, rank % 4, MPI_DOUBLE, size - 1,
               MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    sum += mine[i] * mine[i];
  free(all);
  return sum;
}

GRADIENT_CHECK(gathers, Double, gathers, In(double, 4), Int(4))
