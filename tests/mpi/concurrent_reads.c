// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank reads its own memory by loads while others get the same numbers, in epochs of every kind:
// in reverse all of them add to the same adjoints, and none may be lost.
// Supports: windows whose owner reads while others get, in one epoch
#include "GradientCheck.h"
#include <mpi.h>

enum { N = 1500, ROUNDS = 12, STEPS = 3 };
enum { FENCES, GROUPS, LOCK_ALL, LOCKS };

static void begin(int how, MPI_Group all, MPI_Win win) {
  if (how == FENCES)
    MPI_Win_fence(0, win);
  if (how == GROUPS) {
    MPI_Win_post(all, 0, win);
    MPI_Win_start(all, 0, win);
  }
  if (how == LOCK_ALL)
    MPI_Barrier(MPI_COMM_WORLD);
}

static void end(int how, MPI_Win win) {
  if (how == FENCES)
    MPI_Win_fence(0, win);
  if (how == GROUPS) {
    MPI_Win_complete(win);
    MPI_Win_wait(win);
  }
  if (how == LOCK_ALL)
    MPI_Win_flush_all(win);
  if (how >= LOCK_ALL)
    MPI_Barrier(MPI_COMM_WORLD);
}

static void getAll(int how, double *got, int rank, int size, MPI_Win win) {
  for (int k = 1; k < size; k++) {
    const int target = (rank + k) % size;
    if (how == LOCKS)
      MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Get(got + (k - 1) * N, N, MPI_DOUBLE, target, 0, N, MPI_DOUBLE, win);
    if (how == LOCKS)
      MPI_Win_unlock(target, win);
  }
}

static double loads(int how, const double *w, int rank, MPI_Win win) {
  double sum = 0;
  if (how == LOCKS)
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < N; i++)
      sum += w[i] * w[(i * 7 + round) % N];
  if (how == LOCKS)
    MPI_Win_unlock(rank, win);
  return sum / ROUNDS;
}

static double together(const double *x, int how) {
  int rank, size;
  double *w, sum = 0;
  static double got[7 * N];
  MPI_Win win;
  MPI_Group all;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Win_allocate(N * sizeof *w, sizeof *w, MPI_INFO_NULL, MPI_COMM_WORLD, &w, &win);
  for (int i = 0; i < N; i++)
    w[i] = x[i];
  MPI_Barrier(MPI_COMM_WORLD);
  if (how == LOCK_ALL)
    MPI_Win_lock_all(0, win);
  for (int step = 0; step < STEPS; step++) {
    begin(how, all, win);
    if ((rank + step) % 2)
      sum += loads(how, w, rank, win);
    getAll(how, got, rank, size, win);
    if ((rank + step) % 2 == 0)
      sum += loads(how, w, rank, win);
    end(how, win);
    for (int i = 0; i < (size - 1) * N; i++)
      sum += got[i] * got[i] * x[i % N];
    for (int i = 0; i < N; i++)
      w[i] = 0.8 * w[i] + 0.1 * w[i] * x[i];
    if (how >= LOCK_ALL)
      MPI_Barrier(MPI_COMM_WORLD);
  }
  if (how == LOCK_ALL)
    MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Group_free(&all);
  return sum / N;
}

GRADIENT_CHECK(concurrent_reads_fences, Double, together, In(double, N), Int(FENCES))
GRADIENT_CHECK(concurrent_reads_groups, Double, together, In(double, N), Int(GROUPS))
GRADIENT_CHECK(concurrent_reads_lock_all, Double, together, In(double, N), Int(LOCK_ALL))
GRADIENT_CHECK(concurrent_reads_locks, Double, together, In(double, N), Int(LOCKS))
