// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Supports: derivatives of derivatives through one-sided communication
//
// Hessian-vector products of functions that look into each other's memory.
#include "Hessian.h"
#include "HessianRanks.h"

#include <mpi.h>

static double hessian_fences(const double *x) {
  int ranks, rank = rankOf(&ranks);
  const int next = (rank + 1) % ranks;
  double memory[4] = {x[0] * x[1], x[2], 0, x[3]}, got[2], old = 0, add[2] = {x[4] * x[5], x[1]};
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Get(got, 2, MPI_DOUBLE, next, 0, 2, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  add[0] *= got[0];
  MPI_Put(add, 1, MPI_DOUBLE, next, 2, 1, MPI_DOUBLE, window);
  MPI_Accumulate(add + 1, 1, MPI_DOUBLE, next, 1, 1, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_fence(0, window);
  const double more = memory[2] * got[1];
  MPI_Win_fence(0, window);
  MPI_Fetch_and_op(&more, &old, MPI_DOUBLE, next, 3, MPI_SUM, window);
  MPI_Win_fence(0, window);
  const double sum = memory[0] * memory[1] * memory[2] + memory[3] * old * old;
  MPI_Win_free(&window);
  return sum;
}
HESSIAN_FORWARD(hessian_fences)

// One after the other changes the first rank's memory.
static double hessian_locks(const double *x) {
  int ranks, rank = rankOf(&ranks);
  double *memory, now[2], sum;
  MPI_Win window;
  MPI_Win_allocate(2 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  memory[0] = x[0] * x[1];
  memory[1] = 0.5 * x[2];
  MPI_Win_unlock(rank, window);
  for (int turn = 0; turn < ranks; ++turn) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (turn != rank)
      continue;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(now, 2, MPI_DOUBLE, 0, 0, 2, MPI_DOUBLE, window);
    MPI_Win_flush(0, window);
    now[0] = now[0] * x[3] + now[1];
    now[1] *= x[4];
    MPI_Put(now, 2, MPI_DOUBLE, 0, 0, 2, MPI_DOUBLE, window);
    MPI_Win_unlock(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Get(now, 2, MPI_DOUBLE, 0, 0, 2, MPI_DOUBLE, window);
  MPI_Win_unlock(0, window);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  sum = now[0] * now[1] * x[5] + memory[0] * memory[0];
  MPI_Win_unlock(rank, window);
  MPI_Win_free(&window);
  return sum;
}
HESSIAN_FORWARD(hessian_locks)

static double hessian_epochs(const double *x) {
  int ranks, rank = rankOf(&ranks);
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  double memory[2] = {0, x[1]}, value = x[0] * x[0];
  MPI_Group all, to, from;
  MPI_Win window;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &next, &to);
  MPI_Group_incl(all, 1, &before, &from);
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int t = 0; t < 2; ++t) {
    MPI_Win_post(from, 0, window);
    MPI_Win_start(to, 0, window);
    MPI_Put(&value, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    value = value * x[2] + memory[0] * memory[1];
  }
  MPI_Win_free(&window);
  MPI_Group_free(&all);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  return value * x[3];
}
HESSIAN_FORWARD(hessian_epochs)

static double hessian_attached(const double *x) {
  int ranks, rank = rankOf(&ranks);
  double memory[2] = {x[0] * x[1], x[2] * x[3]}, got = 0;
  MPI_Aint here, there;
  MPI_Win window;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_attach(window, memory, sizeof memory);
  MPI_Get_address(memory, &here);
  MPI_Sendrecv(&here, 1, MPI_AINT, (rank + ranks - 1) % ranks, 0, &there, 1, MPI_AINT,
               (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_fence(0, window);
  MPI_Get(&got, 1, MPI_DOUBLE, (rank + 1) % ranks, there + (MPI_Aint)sizeof(double), 1, MPI_DOUBLE,
          window);
  MPI_Win_fence(0, window);
  MPI_Win_detach(window, memory);
  MPI_Win_free(&window);
  return got * memory[0] * x[4];
}
HESSIAN_FORWARD(hessian_attached)

static double hessian_shared(const double *x) {
  int ranks, rank = rankOf(&ranks), unit;
  double *mine, *theirs, sum;
  MPI_Aint size;
  MPI_Win window;
  MPI_Win_allocate_shared(2 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                          &window);
  MPI_Win_fence(0, window);
  mine[0] = x[0] * x[1];
  mine[1] = x[2];
  MPI_Win_fence(0, window);
  MPI_Win_shared_query(window, (rank + 1) % ranks, &size, &unit, &theirs);
  sum = theirs[0] * theirs[1] * x[3] + mine[0];
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  return sum * x[4];
}
HESSIAN_FORWARD(hessian_shared)
