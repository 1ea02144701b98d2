// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows to which memory is attached later: on the stack and on the heap, several pieces at a
// time, detached and attached again. Targets are named by their addresses.
// Supports: dynamic windows (`MPI_Win_create_dynamic`, `MPI_Win_attach`)
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

enum { N = 4, Most = 8 };

static void addressesOf(const double *a, MPI_Aint *all) {
  MPI_Aint mine;
  MPI_Get_address(a, &mine);
  MPI_Allgather(&mine, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
}

/// Puts, sums and gets between the fences of two pieces.
static double fences(const double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size;
  double local[N], *heap = malloc(2 * N * sizeof(double)), got[N], sum = 0;
  for (int i = 0; i < 2 * n; i++)
    heap[i] = x[i % n] * (1 + 0.1 * rank + i);
  for (int i = 0; i < n; i++)
    local[i] = x[i] * x[n - 1 - i];
  MPI_Aint locals[Most], heaps[Most];
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, local, sizeof local);
  MPI_Win_attach(win, heap, 2 * N * sizeof(double));
  addressesOf(local, locals);
  addressesOf(heap, heaps);
  MPI_Win_fence(0, win);
  MPI_Put(local, 2, MPI_DOUBLE, next, heaps[next] + 3 * sizeof(double), 2, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(heap, n, MPI_DOUBLE, next, locals[next], n, MPI_DOUBLE, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Get(got, n, MPI_DOUBLE, next, heaps[next] + 2 * sizeof(double), n, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < n; i++)
    sum += got[i] * local[i] * (i + 1) + heap[i + 2] * heap[i + 2];
  MPI_Win_detach(win, local);
  MPI_Win_detach(win, heap);
  MPI_Win_free(&win);
  free(heap);
  return sum;
}

GRADIENT_CHECK(dynamic_fences, Double, fences, In(double, N), Int(N))

/// A piece for each step; only one rank at a time is accessed.
static double steps(const double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double a[N], old[N], sum = 0;
  MPI_Aint all[Most];
  MPI_Win win;
  for (int i = 0; i < n; i++)
    a[i] = x[i] * (1 + rank);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int step = 0; step < 3; step++) {
    const int target = (rank + step) % size;
    MPI_Win_attach(win, a, sizeof a);
    addressesOf(a, all);
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&x[step], &old[step], MPI_DOUBLE, target, all[target] + 8 * step, MPI_SUM,
                     win);
    MPI_Win_flush(target, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    sum += old[step] * old[step];
    MPI_Win_detach(win, a);
    for (int i = 0; i < n; i++)
      a[i] += 0.1 * a[i] * a[(i + 1) % n];
  }
  MPI_Win_free(&win);
  for (int i = 0; i < n; i++)
    sum += a[i] * x[i];
  return sum;
}

GRADIENT_CHECK(dynamic_steps, Double, steps, In(double, N), Int(N))
