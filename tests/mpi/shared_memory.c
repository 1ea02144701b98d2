// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of memory that all ranks read directly: neighbours' cells without messages, one array of
// all, order by barriers, fences and empty messages. In reverse several ranks add to one cell.
// Supports: `Win_allocate_shared`, `Win_shared_query`
#include "GradientCheck.h"
#include <mpi.h>
#include <stddef.h>

enum { N = 6 };

static int rankOf(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static int sizeOf(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

static double *partOf(MPI_Win window, int rank) {
  MPI_Aint bytes;
  int unit;
  double *base;
  MPI_Win_shared_query(window, rank, &bytes, &unit, &base);
  return base;
}

static void barrier(MPI_Win window) {
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
}

/// Everybody tells both neighbours: empty messages order what they read and write.
static void tellNeighbours(MPI_Win window) {
  const int rank = rankOf(), size = sizeOf();
  MPI_Win_sync(window);
  for (int k = 1; k >= -1; k -= 2)
    MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + k + size) % size, k + 1, NULL, 0, MPI_BYTE,
                 (rank - k + size) % size, k + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_sync(window);
}

static double heat(const double *x, double *y, int steps) {
  const int rank = rankOf(), size = sizeOf();
  double *u, next[N], sum = 0;
  MPI_Win window;
  MPI_Win_allocate_shared(N * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &u,
                          &window);
  const double *left = partOf(window, (rank + size - 1) % size);
  const double *right = partOf(window, (rank + 1) % size);
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < N; i++)
    u[i] = x[i];
  for (int step = 0; step < steps; step++) {
    if (step % 2)
      tellNeighbours(window);
    else
      barrier(window);
    for (int i = 0; i < N; i++) {
      const double before = i ? u[i - 1] : left[N - 1], after = i < N - 1 ? u[i + 1] : right[0];
      next[i] = u[i] + 0.1 * (before - 2 * u[i] + after) - 0.02 * u[i] * before;
    }
    if (step % 2)
      tellNeighbours(window);
    else
      barrier(window);
    for (int i = 0; i < N; i++)
      u[i] = next[i];
  }
  for (int i = 0; i < N; i++) {
    y[i] = u[i];
    sum += u[i] * u[i];
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  return sum;
}

GRADIENT_CHECK(shared_memory_heat, Double, heat, In(double, N), Out(double, N), Int(4))

/// One array, whose memory is rank 0's; everybody reads everything.
static double everything(const double *x, double *y) {
  const int rank = rankOf(), size = sizeOf();
  double *mine, sum = 0;
  MPI_Win window;
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Win_allocate_shared(rank ? 0 : size * N * sizeof(double), sizeof(double), MPI_INFO_NULL, node,
                          &mine, &window);
  double *all = partOf(window, 0);
  MPI_Win_fence(0, window);
  for (int i = 0; i < N; i++)
    all[rank * N + i] = x[i] * x[(i + 1) % N];
  MPI_Win_fence(0, window);
  for (int i = 0; i < size * N; i++)
    sum += all[i] * all[i] * (rank + 1);
  for (int i = 0; i < N; i++)
    y[i] = all[(rank * N + i + 3) % (size * N)] * x[i];
  MPI_Win_fence(0, window);
  if (rank == 0)
    all[0] = 0;
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
  return sum;
}

GRADIENT_CHECK(shared_memory_everything, Double, everything, In(double, N), Out(double, N))
