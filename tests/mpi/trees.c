// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions written by hand: a recursive tree, and a hypercube.
// Supports: recursive communication
#include "GradientCheck.h"
#include <mpi.h>

static double globalBuffer[4];

static double tree(double mine, int rank, int low, int high) {
  if (high - low <= 1)
    return mine;
  int middle = (low + high) / 2;
  double other = 0;
  if (rank < middle) {
    mine = tree(mine, rank, low, middle);
    if (rank == low) {
      MPI_Recv(&other, 1, MPI_DOUBLE, middle, high, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      mine = mine * other + mine;
    }
  } else {
    mine = tree(mine, rank, middle, high);
    if (rank == middle)
      MPI_Send(&mine, 1, MPI_DOUBLE, low, high, MPI_COMM_WORLD);
  }
  return mine;
}

static double reduce(const double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i];
    globalBuffer[i] = x[i] * (rank + 1);
  }
  double top = tree(sum, rank, 0, size);
  for (int bit = 1; bit < size; bit *= 2) {
    int peer = rank ^ bit;
    double other[4];
    if (peer >= size)
      continue;
    MPI_Sendrecv(globalBuffer, n, MPI_DOUBLE, peer, bit, other, n, MPI_DOUBLE, peer, bit,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
      globalBuffer[i] = 0.5 * globalBuffer[i] * other[i] + other[i];
  }
  for (int i = 0; i < n; i++)
    top += globalBuffer[i] * (i + 1);
  return top;
}

GRADIENT_CHECK(trees, Double, reduce, In(double, 4), Int(4))
