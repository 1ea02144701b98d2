// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over all ranks: a norm that scales the field, a vector, and one in every step of a loop.
// Supports: `Reduce`, `Allreduce` with `SUM`, `MIN`, `MAX`, `MPI_IN_PLACE`
#include "GradientCheck.h"
#include <math.h>
#include <mpi.h>

static double normalise(double *x, int n) {
  double mine = 0, norm = 0;
  for (int i = 0; i < n; i++)
    mine += x[i] * x[i];
  MPI_Allreduce(&mine, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    x[i] /= sqrt(norm);
  return norm;
}

static double vector(const double *x, int n) {
  double mine[4] = {0, 0, 0, 0}, all[4];
  for (int i = 0; i < n; i++)
    mine[i % 4] += x[i] * x[i] * (i + 1);
  MPI_Allreduce(mine, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all[0] * all[1] + all[2] / all[3];
}

static double loop(double *x, int n, int steps) {
  double total = 0;
  for (int s = 0; s < steps; s++) {
    double mine = 0, mean = 0;
    for (int i = 0; i < n; i++)
      mine += x[i];
    MPI_Allreduce(&mine, &mean, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    mean /= 24;
    for (int i = 0; i < n; i++)
      x[i] -= 0.2 * (x[i] - mean) * x[i];
    total += mean * mean;
  }
  return total;
}

GRADIENT_CHECK(allreduce_norm, Replicated, normalise, BlockInOut(double, 24), BlockInt(24))
GRADIENT_CHECK(allreduce_vector, Replicated, vector, In(double, 6), Int(6))
GRADIENT_CHECK(allreduce_loop, Replicated, loop, BlockInOut(double, 24), BlockInt(24), Int(4))
