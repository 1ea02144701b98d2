// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that brings a replacement of MPI for one process, and names functions of its own as
// MPI's are named: they are functions like any other.
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Request;
enum { MPI_COMM_WORLD = 1, MPI_DOUBLE = 8, MPI_SUM = 1 };
enum { n = 6 };

static struct {
  double data[8];
} boxes[2];
static int calls;

static int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  (void)comm;
  *rank = 0;
  return 0;
}

static int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, int op,
                         MPI_Comm comm) {
  (void)op, (void)comm;
  ++calls;
  memcpy(to, from, (size_t)count * (size_t)type);
  return 0;
}

static int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request) {
  (void)to, (void)comm;
  ++calls;
  memcpy(boxes[tag].data, data, (size_t)count * (size_t)type);
  *request = -1;
  return 0;
}

static int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm) {
  (void)from, (void)comm;
  memcpy(data, boxes[tag].data, (size_t)count * (size_t)type);
  return 0;
}

static int MPI_Alloc_mem(long bytes, void *place) {
  *(void **)place = malloc((size_t)bytes);
  return 0;
}

static void MPI_Free_mem(void *memory) { free(memory); }

static void MPI_Exchange_halo(double *u) {
  MPI_Request request;
  MPI_Isend(u + 1, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Recv(u + n + 1, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  MPI_Isend(u + n, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &request);
  MPI_Recv(u, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
}

static double steps(const double *x, double *y, int count) {
  double *u, next[n], sum = 0, all;
  int rank;
  calls = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Alloc_mem((n + 2) * sizeof(double), &u);
  for (int i = 0; i < n; i++)
    u[i + 1] = x[i];
  for (int k = 0; k < count; k++) {
    MPI_Exchange_halo(u);
    for (int i = 0; i < n; i++)
      next[i] = u[i + 1] + 0.1 * (u[i] - u[i + 2]) * u[i + 1];
    memcpy(u + 1, next, sizeof next);
  }
  for (int i = 0; i < n; i++) {
    y[i] = u[i + 1] * (1 + rank);
    sum += y[i] * y[i];
  }
  MPI_Free_mem(u);
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all * calls;
}

GRADIENT_CHECK(without_mpi, Double, steps, In(double, n), Out(double, n), Int(3))
