// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other operators than sums in windows: what was there before and who came last decide.
// Supports: windows: `Accumulate`, `Get_accumulate`, `Fetch_and_op` with `MAX`, `MIN`, `PROD`
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

enum { N = 3 };

static int here(int *size) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  return rank;
}

// Everybody's greatest values on every rank, between fences; then their products.
static double fences(const double *x, double *y, int n) {
  int size, rank = here(&size);
  double w[N], mine[N], sum = 0;
  MPI_Win win;
  MPI_Win_create(w, sizeof w, sizeof *w, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int i = 0; i < n; i++) {
    w[i] = x[i] * x[i];
    mine[i] = x[i] * x[(i + 1) % n] * (1 + 0.1 * rank);
  }
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; p++)
    MPI_Accumulate(mine, n, MPI_DOUBLE, p, 0, n, MPI_DOUBLE, MPI_MAX, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < n; i++)
    sum += w[i] * w[i] * (rank + 1);
  MPI_Win_fence(0, win);
  MPI_Accumulate(mine, n - 1, MPI_DOUBLE, (rank + 1) % size, 1, n - 1, MPI_DOUBLE, MPI_PROD, win);
  MPI_Accumulate(x, n - 1, MPI_DOUBLE, 0, 1, n - 1, MPI_DOUBLE, MPI_PROD, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < n; i++) {
    y[i] = w[i] * x[i];
    sum += w[i];
  }
  MPI_Win_free(&win);
  return sum;
}
GRADIENT_CHECK(merges_fences, Double, fences, In(double, N), Out(double, N), Int(N))

// In sections under locks, with requests, and to every other element of memory of one's own.
static double locks(const double *x, double *y, int n) {
  int size, rank = here(&size), next = (rank + 1) % size;
  double w[2 * N], old[N], product = 1, sum = 0;
  MPI_Win win;
  MPI_Datatype even;
  MPI_Request request;
  for (int i = 0; i < 2 * n; i++)
    w[i] = x[i % n] + 0.01 * i;
  MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &even);
  MPI_Type_commit(&even);
  MPI_Win_create(w, sizeof w, sizeof *w, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
  MPI_Get_accumulate(x, n, MPI_DOUBLE, old, n, MPI_DOUBLE, next, 0, 1, even, MPI_PROD, win);
  MPI_Win_unlock(next, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  const double factor = old[0] * x[1] + 0.5;
  MPI_Fetch_and_op(&factor, &product, MPI_DOUBLE, next, 1, MPI_PROD, win);
  MPI_Win_flush(next, win);
  MPI_Raccumulate(old, n, MPI_DOUBLE, next, 0, 1, even, MPI_MIN, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Type_free(&even);
  for (int i = 0; i < n; i++) {
    y[i] = w[2 * i] * product;
    sum += w[2 * i + 1] * old[i];
  }
  return sum;
}
GRADIENT_CHECK(merges_locks, Double, locks, In(double, N), Out(double, N), Int(N))

// Between groups, one after another on one place of a rank.
static double groups(const double *x, double *y, int n) {
  int size, rank = here(&size), last = size - 1;
  double w[N], sum = 0;
  MPI_Win win;
  MPI_Group all, target;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &last, &target);
  MPI_Win_create(w, sizeof w, sizeof *w, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int step = 0; step < 2; step++) {
    for (int i = 0; i < n; i++)
      w[i] = x[i] + step * (step ? sum : 1);
    if (rank == last)
      MPI_Win_post(all, 0, win);
    MPI_Win_start(target, 0, win);
    MPI_Accumulate(x, n, MPI_DOUBLE, last, 0, n, MPI_DOUBLE, step ? MPI_MAX : MPI_PROD, win);
    MPI_Win_complete(win);
    if (rank == last)
      MPI_Win_wait(win);
    for (int i = 0; i < n; i++)
      sum += w[i] * w[i] * 0.1;
  }
  for (int i = 0; i < n; i++)
    y[i] = w[i] * x[i];
  MPI_Win_free(&win);
  MPI_Group_free(&target);
  MPI_Group_free(&all);
  return sum;
}
GRADIENT_CHECK(merges_groups, Double, groups, In(double, N), Out(double, N), Int(N))
