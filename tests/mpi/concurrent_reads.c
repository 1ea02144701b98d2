// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank reads its own memory by loads while others get the same numbers, in epochs of every kind:
// in reverse all of them add to the same adjoints, and none may be lost.
// Supports: windows whose owner reads while others get, in one epoch
// Supports: several windows over the same memory
#include "GradientCheck.h"
#include <complex.h>
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

enum { FEW = 40 };

/// The order of who gets and who puts passes the owner by, which meanwhile looks for what arrives.
static double passedBy(const double *x, int n) {
  int rank, size, token = 0;
  double w[FEW], got[FEW], sum = 0;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < n; i++)
    w[i] = x[i];
  MPI_Win_create(w, sizeof w, sizeof *w, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int k = 0; k < 20 && rank == 0; k++) {
    double alone = x[k % n];
    MPI_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    sum += alone * alone;
  }
  for (int turn = 1; turn <= STEPS * (size - 1); turn++)
    if ((turn - 1) % (size - 1) + 1 == rank) {
      if (turn > 1 && size > 2)
        MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Get(got, n, MPI_DOUBLE, 0, 0, n, MPI_DOUBLE, win);
      MPI_Win_flush(0, win);
      for (int i = 0; i < n; i++) {
        sum += got[i] * got[i];
        got[i] *= 0.7 + 0.2 * x[i];
      }
      MPI_Put(got, n, MPI_DOUBLE, 0, 0, n, MPI_DOUBLE, win);
      MPI_Win_flush(0, win);
      if (turn < STEPS * (size - 1) && size > 2)
        MPI_Send(&token, 1, MPI_INT, turn % (size - 1) + 1, turn + 1, MPI_COMM_WORLD);
    }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    sum += w[i] * w[(i + 1) % n];
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  return sum;
}

GRADIENT_CHECK(concurrent_reads_passed_by, Double, passedBy, In(double, FEW), Int(FEW))

/// Complex numbers, of memory that all ranks address.
static double shared(const double *x, int n) {
  int rank, size;
  double complex *w, got[FEW];
  double sum = 0;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate_shared(n * sizeof *w, sizeof *w, MPI_INFO_NULL, MPI_COMM_WORLD, &w, &win);
  for (int i = 0; i < n; i++)
    w[i] = x[i] + I * x[n - 1 - i];
  MPI_Win_fence(0, win);
  MPI_Get(got, n, MPI_C_DOUBLE_COMPLEX, (rank + 1) % size, 0, n, MPI_C_DOUBLE_COMPLEX, win);
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < n; i++)
      sum += creal(w[i]) * cimag(w[(i + round) % n]);
  MPI_Win_fence(0, win);
  for (int i = 0; i < n; i++)
    sum += creal(got[i] * got[i]);
  MPI_Put(got, n, MPI_C_DOUBLE_COMPLEX, rank, 0, n, MPI_C_DOUBLE_COMPLEX, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < n; i++)
    sum += creal(w[i] * got[i]);
  MPI_Win_free(&win);
  return sum;
}

GRADIENT_CHECK(concurrent_reads_shared, Double, shared, In(double, FEW), Int(FEW))

/// Two windows over one array, the later one over a part of it.
static double within(const double *x, int n) {
  const int part = n - n / 3; // from the beginning: MPICH 4.0 reads elsewhere otherwise
  int rank, size;
  double w[FEW], got[FEW], sum = 0;
  MPI_Win all, some;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < n; i++)
    w[i] = x[i];
  MPI_Win_create(w, n * sizeof *w, sizeof *w, MPI_INFO_NULL, MPI_COMM_WORLD, &all);
  MPI_Win_create(w, part * sizeof *w, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &some);
  MPI_Win_fence(0, all);
  for (int step = 0; step < STEPS; step++) {
    MPI_Win_fence(0, some);
    MPI_Get(got, n, MPI_DOUBLE, (rank + 1) % size, 0, n, MPI_DOUBLE, all);
    for (int i = 0; i < n; i++)
      sum += w[i] * w[(i + step) % n];
    MPI_Win_fence(0, all);
    for (int i = 0; i < n; i++)
      got[i] *= 0.5 + 0.3 * x[i] * got[i];
    MPI_Put(got, part, MPI_DOUBLE, (rank + step) % size, 0, part, MPI_DOUBLE, some);
    MPI_Accumulate(got, n - part, MPI_DOUBLE, (rank + 1) % size, part, n - part, MPI_DOUBLE,
                   MPI_SUM, all);
    MPI_Win_fence(0, some);
    MPI_Win_fence(0, all);
  }
  MPI_Win_free(&all);
  MPI_Get(got, part, MPI_DOUBLE, (rank + 1) % size, 0, part, MPI_DOUBLE, some);
  MPI_Win_fence(0, some);
  for (int i = 0; i < part; i++)
    sum += got[i] * w[n - 1 - i];
  MPI_Win_free(&some);
  return sum;
}

GRADIENT_CHECK(concurrent_reads_within, Double, within, In(double, FEW), Int(FEW))

static double readThrough(MPI_Win win, MPI_Comm ranks, const double *w, int n) {
  int size;
  double got[FEW], sum = 0;
  MPI_Comm_size(ranks, &size);
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; p++) {
    MPI_Get(got, n, MPI_DOUBLE, p, 0, n, MPI_DOUBLE, win);
    for (int i = 0; i < n; i++)
      sum += w[i] * w[(i + p) % n];
    MPI_Win_fence(0, win);
    for (int i = 0; i < n; i++)
      sum += got[i] * got[i] * (1 + p);
  }
  return sum;
}

/// Windows of the rows and the columns of a grid of ranks over the same array.
static double grid(const double *x, int n) {
  int rank, size;
  MPI_Comm comms[2];
  MPI_Win wins[2];
  double w[FEW], sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &comms[0]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[1]);
  for (int k = 0; k < 2; k++)
    MPI_Win_create(w, sizeof w, sizeof *w, MPI_INFO_NULL, comms[k], &wins[k]);
  for (int i = 0; i < n; i++)
    w[i] = x[i];
  for (int step = 0; step < 2 * STEPS; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    sum += readThrough(wins[step % 2], comms[step % 2], w, n);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
      w[i] = 0.8 * w[i] + 0.1 * w[i] * x[i];
  }
  for (int k = 0; k < 2; k++) {
    MPI_Win_free(&wins[k]);
    MPI_Comm_free(&comms[k]);
  }
  return sum;
}

GRADIENT_CHECK(concurrent_reads_grid, Double, grid, In(double, FEW), Int(FEW))
