// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that the library keeps for the program: from MPI_Alloc_mem, and behind an attribute of a
// communicator that frees it when it goes.
// Supports: `Alloc_mem`, attributes of communicators
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

enum { N = 6 };

/// Windows over such memory; that of the last one is given back by the caller.
static double fetch(const double *x, double **kept, int step) {
  int rank, size;
  MPI_Win window;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double *mine, *theirs, sum = 0;
  MPI_Alloc_mem(N * sizeof(double), MPI_INFO_NULL, &mine);
  MPI_Alloc_mem(N * sizeof(double), MPI_INFO_NULL, &theirs);
  for (int i = 0; i < N; i++)
    mine[i] = x[i] * x[(i + step) % N];
  MPI_Win_create(mine, N * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Get(theirs, N, MPI_DOUBLE, (rank + step) % size, 0, N, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  for (int i = 0; i < N; i++)
    sum += theirs[i] * theirs[i] * (i + rank + 1) + mine[i];
  MPI_Free_mem(mine);
  *kept = theirs;
  return sum;
}

static double borrowed(const double *x, double *y, int steps) {
  double sum = 0;
  for (int i = 0; i < N; i++)
    y[i] = 0;
  for (int step = 0; step < steps; step++) {
    double *kept;
    sum += fetch(x, &kept, step);
    for (int i = 0; i < N; i++)
      y[i] += kept[i] * x[i];
    MPI_Free_mem(kept);
  }
  return sum;
}

GRADIENT_CHECK(library_memory_windows, Double, borrowed, In(double, N), Out(double, N), Int(3))

struct cache {
  double scale;
  int calls;
};

static int freeCache(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)extra;
  free(value);
  return MPI_SUCCESS;
}

/// The cache is read in reverse, when it is gone.
static double attributes(const double *x, double *y) {
  int key, found;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, freeCache, &key, NULL);
  struct cache *made = malloc(sizeof *made);
  made->scale = 2.5;
  made->calls = 0;
  MPI_Comm_set_attr(comm, key, made);
  double sum = 0;
  for (int i = 0; i < N; i++) {
    struct cache *cache;
    MPI_Comm_get_attr(comm, key, &cache, &found);
    cache->calls++;
    double mine = x[i] * x[i] * cache->scale * cache->calls;
    MPI_Allreduce(&mine, &y[i], 1, MPI_DOUBLE, MPI_SUM, comm);
    sum += y[i] * x[i];
  }
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&key);
  return sum;
}

GRADIENT_CHECK(library_memory_attributes, Double, attributes, In(double, N), Out(double, N))

static int copies;

struct tally {
  int asked;
  double weight;
};

static int copyCounted(MPI_Comm comm, int key, void *extra, void *value, void *to, int *flag) {
  (void)comm, (void)key;
  struct tally *t = extra;
  ++copies;
  t->asked += 2;
  t->weight *= 1.5;
  *(void **)to = value;
  *flag = 1;
  return MPI_SUCCESS;
}

static int deleteCounted(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  --copies;
  return MPI_SUCCESS;
}

/// What the functions behind an attribute count is read between their calls. Attributes may be
/// integers, or nothing.
static double counted(const double *x, double *y, int number) {
  int keys[2], found;
  struct tally tally = {1, 2};
  void *value;
  MPI_Comm base, first, second;
  MPI_Comm_create_keyval(copyCounted, deleteCounted, &keys[0], &tally);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[1], NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &base);
  copies = 1;
  MPI_Comm_set_attr(base, keys[0], NULL);
  MPI_Comm_set_attr(base, keys[1], (void *)(long)number);
  MPI_Comm_dup(base, &first);
  double scale = copies * tally.asked * tally.weight, mine = x[0] * x[1] * scale, sum = 0;
  MPI_Comm_dup(first, &second);
  MPI_Comm_get_attr(second, keys[1], &value, &found);
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, second);
  for (int i = 0; i < N; i++)
    y[i] = x[i] * sum * copies * tally.asked * (double)(long)value;
  MPI_Comm_free(&second);
  scale = copies * tally.weight;
  MPI_Comm_free(&first);
  MPI_Comm_free(&base);
  MPI_Comm_free_keyval(&keys[0]);
  MPI_Comm_free_keyval(&keys[1]);
  return sum * x[2] * scale;
}

GRADIENT_CHECK(library_memory_counted, Double, counted, In(double, N), Out(double, N), Int(3))
