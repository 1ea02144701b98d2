// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections under exclusive locks, in whatever order the ranks get them: what is read, changed and
// written back there is reversed in the reverse order. Others read under shared locks.
// Supports: sections under exclusive and shared locks of windows
#include "GradientCheck.h"
#include <mpi.h>

enum { N = 3 };

/// A product does not depend on the order, but the derivative of each step does.
static double sections(const double *x, int n) {
  int rank, size;
  double shared[2] = {1 + 0.1 * x[0], x[1]}, sum = 0;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_create(shared, sizeof shared, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int round = 0; round < n; round++) {
    for (int k = 0; k < 2; k++) {
      const int target = (rank + k + round) % size;
      double v;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
      MPI_Get(&v, 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, win);
      MPI_Win_flush(target, win);
      v *= 1 + 0.3 * x[round] * (rank + 1) + 0.1 * x[(round + k) % n];
      MPI_Put(&v, 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, win);
      MPI_Win_unlock(target, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < size; k++) {
      double v;
      MPI_Win_lock(MPI_LOCK_SHARED, (rank + k) % size, 0, win);
      MPI_Get(&v, 1, MPI_DOUBLE, (rank + k) % size, 0, 1, MPI_DOUBLE, win);
      MPI_Win_unlock((rank + k) % size, win);
      sum += v * v * x[k % n] * 0.01;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&win);
  return sum;
}

GRADIENT_CHECK(locked_sections, Double, sections, In(double, N), Int(N))
