// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows: accesses between fences, under locks, and to memory that MPI allocates.
// Supports: windows: `Put`, `Get`, `Accumulate`, `Get_accumulate`, `Fetch_and_op`, `Compare_and_swap` of integers; fences and locks
// Supports: windows of structures with integers and numbers of several sizes
#include "GradientCheck.h"
#include <mpi.h>
#include <stddef.h>

enum { N = 4 };

static double fences(const double *x, int n) {
  int rank, size;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double w[3 * N], got[N], mine[N], sum = 0;
  for (int i = 0; i < 3 * N; i++)
    w[i] = x[i % n] * (1 + 0.1 * i);
  MPI_Win_create(w, sizeof w, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int i = 0; i < n; i++)
    mine[i] = x[i] * x[i];
  MPI_Win_fence(0, win);
  MPI_Put(mine, n, MPI_DOUBLE, next, 0, n, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < n; i++)
    sum += w[i] * w[i] * (i + 1);
  MPI_Win_fence(0, win);
  MPI_Get(got, n, MPI_DOUBLE, before, 1, n, MPI_DOUBLE, win);
  MPI_Accumulate(mine, n, MPI_DOUBLE, 0, 2 * N, n, MPI_DOUBLE, MPI_SUM, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < n; i++) {
    sum += got[i] * x[i] + w[2 * N + i] * w[2 * N + i];
    w[2 * N + i] *= w[i];
  }
  MPI_Win_fence(0, win);
  MPI_Accumulate(got, n, MPI_DOUBLE, next, N, n, MPI_DOUBLE, MPI_REPLACE, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 3 * N; i++)
    sum += w[i] * w[(i + 1) % (3 * N)];
  MPI_Win_free(&win);
  return sum;
}

GRADIENT_CHECK(one_sided_fences, Double, fences, In(double, N), Int(N))

static double locks(const double *x, int n, int steps) {
  int rank, size;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size;
  double *w, old[N], part[N], sum = 0;
  MPI_Win_allocate(2 * N * sizeof *w, sizeof *w, MPI_INFO_NULL, MPI_COMM_WORLD, &w, &win);
  for (int i = 0; i < n; i++) {
    w[i] = x[i];
    w[N + i] = 1;
  }
  for (int s = 0; s < steps; s++) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
      part[i] = w[i] * w[(i + 1) % n] * 0.5;
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    MPI_Get_accumulate(part, n, MPI_DOUBLE, old, n, MPI_DOUBLE, next, N, n, MPI_DOUBLE, MPI_SUM,
                       win);
    MPI_Win_unlock(next, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    for (int i = 0; i < n; i++) {
      sum += old[i] * x[i];
      w[i] = 0.5 * w[N + i] * w[i];
    }
    MPI_Win_unlock(rank, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Request request;
  MPI_Rget(old, n, MPI_DOUBLE, next, 0, n, MPI_DOUBLE, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  double one = 1;
  MPI_Fetch_and_op(&one, &part[0], MPI_DOUBLE, next, N, MPI_NO_OP, win);
  MPI_Win_flush(next, win);
  MPI_Win_unlock_all(win);
  for (int i = 0; i < n; i++)
    sum += old[i] * old[i] * part[0];
  MPI_Win_free(&win);
  return sum;
}

GRADIENT_CHECK(one_sided_locks, Double, locks, In(double, N), Int(N), Int(3))

/// The end of an access is told by a message without floating-point values, or by a collective that
/// is completed later, and so is that what was put has been read by another one.
static void tell(int later, int to, int from, int what, int *flag) {
  if (later) {
    MPI_Request request;
    MPI_Iallreduce(&what, flag, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Sendrecv(&what, 1, MPI_INT, to, 1, flag, 1, MPI_INT, from, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static double told(const double *x, int n, int later) {
  int rank, size, flag = 0;
  MPI_Win win;
  double inbox[N], a[N], sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (int i = 0; i < n; i++)
    inbox[i] = 0, a[i] = x[i] * x[i];
  MPI_Win_create(inbox, sizeof inbox, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  for (int step = 0; step < 5; step++) {
    MPI_Put(a, n, MPI_DOUBLE, next, 0, n, MPI_DOUBLE, win);
    MPI_Win_flush(next, win);
    tell(later, next, last, step, &flag);
    MPI_Win_sync(win);
    for (int i = 0; i < n; i++)
      a[i] = 0.5 * a[i] + inbox[i] * inbox[n - 1 - i] * (1 + 0.1 * flag);
    tell(later, last, next, step, &flag);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  for (int i = 0; i < n; i++)
    sum += a[i] * (i + 1);
  return sum;
}

GRADIENT_CHECK(one_sided_told, Double, told, In(double, N), Int(N), Int(0))
GRADIENT_CHECK(one_sided_told_later, Double, told, In(double, N), Int(N), Int(1))

/// Integers that are compared and swapped: the second one who asks is told who was first.
static double elected(const double *x, int n) {
  int rank, size, *words, first = -1, second = -1;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, none = 0, mine = rank + 1, other = 7;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &words, &win);
  MPI_Win_lock_all(0, win);
  *words = none;
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Compare_and_swap(&mine, &none, &first, MPI_INT, next, 0, win);
  MPI_Win_flush(next, win);
  double a = x[0] * x[1] * (first + 1);
  MPI_Compare_and_swap(&other, &none, &second, MPI_INT, next, 0, win);
  MPI_Win_flush(next, win);
  MPI_Win_unlock_all(win);
  for (int i = 0; i < n; i++)
    a *= x[i] + second;
  MPI_Win_free(&win);
  return a;
}

GRADIENT_CHECK(one_sided_elected, Double, elected, In(double, N), Int(N))

typedef struct {
  double at[2];
  int number;
  float mass;
  double charge;
} Particle;

static MPI_Datatype particles(void) {
  const int lengths[] = {1, 2, 1, 1};
  const MPI_Aint offsets[] = {offsetof(Particle, number), offsetof(Particle, at),
                              offsetof(Particle, mass), offsetof(Particle, charge)};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_FLOAT, MPI_DOUBLE};
  MPI_Datatype members, all;
  MPI_Type_create_struct(4, lengths, offsets, types, &members);
  MPI_Type_create_resized(members, 0, sizeof(Particle), &all);
  MPI_Type_commit(&all);
  MPI_Type_free(&members);
  return all;
}

static double scoreOf(const Particle *p) {
  return p->at[0] * p->at[1] * (p->number + 1) + p->charge * (double)p->mass;
}

static double exchanged(const double *x, const float *m, int n, int many, MPI_Datatype type) {
  int rank, size;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  Particle own[N], mine[2], got[2];
  for (int i = 0; i < n; i++)
    own[i] = (Particle){{x[i], x[i] * x[0]}, i, m[i] * m[i], x[i] * (rank + 1)};
  for (int i = 0; i < 2; i++)
    mine[i] = (Particle){{x[i] * x[i], 2 * x[i]}, 3 + i, 2 * m[i], x[i + 1]};
  MPI_Win_create(own, sizeof own, sizeof(Particle), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put(mine, 2 * many, type, next, 1, 2 * many, type, win);
  MPI_Win_fence(0, win);
  MPI_Get(got, 2 * many, type, before, 2, 2 * many, type, win);
  MPI_Win_fence(0, win);
  double sum = scoreOf(&got[0]) * scoreOf(&got[1]);
  for (int i = 0; i < n; i++)
    sum += scoreOf(&own[i]) * x[i];
  MPI_Win_free(&win);
  return sum;
}

static double records(const double *x, const float *m, int n) {
  MPI_Datatype type = particles();
  const double sum = exchanged(x, m, n, 1, type);
  MPI_Type_free(&type);
  return sum;
}

static double recordBytes(const double *x, const float *m, int n) {
  return exchanged(x, m, n, sizeof(Particle), MPI_BYTE);
}

GRADIENT_CHECK(one_sided_records, Double, records, In(double, N), In(float, N), Int(N))
GRADIENT_CHECK(one_sided_bytes, Double, recordBytes, In(double, N), In(float, N), Int(N))
