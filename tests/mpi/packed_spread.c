// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What MPI_Pack has packed goes to several ranks, or several times to one: what comes back is added
// where the packed numbers lie. The buffer is used again, for numbers at other places.
// Supports: `MPI_Pack`ed values to several ranks (`Bcast`, several sends)
#include "GradientCheck.h"
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

enum { n = 4, room = 128 };

/// A count, numbers behind it, and a smaller one.
static int packed(char *to, const double *v, int count, float more) {
  int position = 0;
  MPI_Pack(&count, 1, MPI_INT, to, room, &position, MPI_COMM_WORLD);
  MPI_Pack(v, count, MPI_DOUBLE, to, room, &position, MPI_COMM_WORLD);
  MPI_Pack(&more, 1, MPI_FLOAT, to, room, &position, MPI_COMM_WORLD);
  return position;
}

static double unpacked(const char *from, int size) {
  int position = 0, count;
  double v[n], sum = 0;
  float more;
  MPI_Unpack(from, size, &position, &count, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(from, size, &position, v, count, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Unpack(from, size, &position, &more, 1, MPI_FLOAT, MPI_COMM_WORLD);
  for (int i = 0; i < count; i++)
    sum += v[i] * v[i] * (i + more);
  return sum;
}

static double broadcast(const double *x) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double v[n], sum = 0;
  char *parcel = malloc(room);
  for (int i = 0; i < n; i++)
    v[i] = x[i] * x[0];
  for (int step = 0; step < 3; step++) {
    if (rank == step % size)
      packed(parcel, v, n - step, 1);
    MPI_Bcast(parcel, room, MPI_PACKED, step % size, MPI_COMM_WORLD);
    const double all = unpacked(parcel, room);
    for (int i = 0; i < n; i++)
      v[i] = sin(v[i]) + 0.1 * all * x[i];
    sum += all * (rank + 1);
  }
  free(parcel);
  return sum;
}

GRADIENT_CHECK(packed_broadcast, Double, broadcast, In(double, n))

/// One after the other, and what a rank sends to itself.
static double dealt(const double *x) {
  int rank, size, length = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double v[n], sum = 0;
  char *out = malloc(room), *in = malloc(room);
  MPI_Request *requests = malloc(size * sizeof *requests);
  for (int i = 0; i < n; i++)
    v[i] = x[i] * x[i];
  for (int step = 0; step < 2; step++) {
    length = packed(out, v, n - step, 2);
    for (int to = 0; to < size; to++)
      MPI_Isend(out, length, MPI_PACKED, to, step, MPI_COMM_WORLD, &requests[to]);
    for (int from = 0; from < size; from++) {
      MPI_Recv(in, room, MPI_PACKED, from, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += unpacked(in, room) * (from + 1) * x[step];
    }
    MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
      v[i] = cos(v[i]) * x[n - 1 - i];
  }
  free(requests);
  free(in);
  free(out);
  return sum;
}

GRADIENT_CHECK(packed_dealt, Double, dealt, In(double, n))
