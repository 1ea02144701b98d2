// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One-sided communication in epochs between groups of ranks.
// Supports: `Win_post`, `Win_start`, `Win_complete`, `Win_wait`, `Win_test`, `Rget_accumulate`
#include "GradientCheck.h"

#include <math.h>
#include <mpi.h>

enum { n = 6, most = 8 };

/// A group of one rank.
static MPI_Group only(int rank) {
  MPI_Group all, one;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &rank, &one);
  MPI_Group_free(&all);
  return one;
}

static void await(MPI_Win win, int poll) {
  if (!poll) {
    MPI_Win_wait(win);
    return;
  }
  for (int flag = 0; !flag;)
    MPI_Win_test(win, &flag);
}

/// Two steps round a ring: what is put is worked on and fetched in the next step.
static double ring(const double *x, double *y, int steps, int poll) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  double memory[2 * n], got[n], sum = 0;
  for (int i = 0; i < 2 * n; ++i)
    memory[i] = x[i % n] * (i + 1);
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Group from = only(previous), to = only(next);
  for (int s = 0; s < steps; ++s) {
    double mine[n];
    for (int i = 0; i < n; ++i)
      mine[i] = sin(memory[n + i]) + x[i] * s;
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(mine, n / 2, MPI_DOUBLE, next, 0, n / 2, MPI_DOUBLE, win);
    MPI_Accumulate(mine + n / 2, n / 2, MPI_DOUBLE, next, n / 2, n / 2, MPI_DOUBLE, MPI_SUM, win);
    MPI_Get(got, n, MPI_DOUBLE, next, n, n, MPI_DOUBLE, win);
    MPI_Win_complete(win);
    await(win, poll);
    for (int i = 0; i < n; ++i) {
      memory[n + i] = cos(memory[i]) * got[i];
      sum += memory[i] * memory[n + i];
    }
  }
  MPI_Group_free(&from);
  MPI_Group_free(&to);
  MPI_Win_free(&win);
  for (int i = 0; i < n; ++i)
    y[i] = memory[i] * got[i];
  return sum;
}
GRADIENT_CHECK(epochs_ring, Double, ring, In(double, n), Out(double, n), Int(3), Int(0))
GRADIENT_CHECK(epochs_polled, Double, ring, In(double, n), Out(double, n), Int(2), Int(1))

/// Everybody writes to rank 0, which also reads its memory between two epochs.
static double board(const double *x, double *y) {
  int rank, size, flag = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double memory[most * n], total = 0;
  for (int i = 0; i < most * n; ++i)
    memory[i] = rank == 0 ? x[i % n] : 0;
  MPI_Win win;
  MPI_Win_create(memory, rank ? 0 : sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                 &win);
  for (int s = 0; s < 2; ++s) {
    MPI_Group all, others, boss = only(0);
    int none = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_excl(all, 1, &none, &others);
    if (rank == 0) {
      MPI_Win_post(others, 0, win);
      MPI_Win_wait(win);
      for (int i = 0; i < most * n; ++i)
        total += memory[i] = memory[i] * memory[i] * 0.5;
    } else {
      MPI_Win_start(boss, 0, win);
      MPI_Put(x, n, MPI_DOUBLE, 0, rank * n, n, MPI_DOUBLE, win);
      MPI_Win_complete(win);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&others);
    MPI_Group_free(&boss);
  }
  double old[n], add[n];
  MPI_Request request;
  for (int i = 0; i < n; ++i)
    add[i] = x[i] * x[i], old[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == size - 1) {
    MPI_Rget_accumulate(add, n, MPI_DOUBLE, old, n, MPI_DOUBLE, 0, 0, n, MPI_DOUBLE, MPI_SUM, win,
                        &request);
    while (!flag)
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  for (int i = 0; i < n; ++i)
    y[i] = old[i] + memory[i] * total;
  return total;
}
GRADIENT_CHECK(epochs_board, Double, board, In(double, n), Out(double, n))
