// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one rank has packed, by MPI_Pack or by hand, travels as bytes, through memory of the next
// one that holds numbers at other times. The packed ones lie elsewhere, and the last of them ends
// behind the last place for one. Beside that, numbers travel as bytes that are numbers, and sums
// come back.
// Supports: packed values that travel as `MPI_BYTE` and are passed on
#include "GradientCheck.h"
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { n = 6, room = sizeof(int) + n * sizeof(double) };

static double relay(const double *x) {
  int rank, size, count = n, position = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  char *out = malloc(room), *in = malloc(room);
  double *work = calloc(n + 1, sizeof *work), taken[n], sum = 0;
  for (int i = 0; i < n; i++)
    work[i] = x[i] * x[i];
  for (int i = 0; i < n; i++)
    sum += work[i] * work[n - 1 - i];
  MPI_Pack(&count, 1, MPI_INT, out, room, &position, MPI_COMM_WORLD);
  MPI_Pack(x, n, MPI_DOUBLE, out, room, &position, MPI_COMM_WORLD);
  MPI_Sendrecv(out, room, MPI_BYTE, next, 1, work, room, MPI_BYTE, last, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(work, room, MPI_BYTE, next, 2, in, room, MPI_BYTE, last, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  position = 0;
  MPI_Unpack(in, room, &position, &count, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(in, room, &position, taken, n, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    sum += taken[i] * sin(taken[i]) * x[i];
  free(work);
  free(in);
  free(out);
  return sum;
}

GRADIENT_CHECK(packed_relays, Double, relay, In(double, n))

/// To two ranks: what comes back second lies above the first.
static double relayTwice(const double *x) {
  int rank, size, position = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  char out[room], in[2][room];
  double *work = calloc(n + 1, sizeof *work), sum = 0;
  for (int i = 0; i < n; i++)
    work[i] = x[i] * x[i];
  for (int i = 0; i < n; i++)
    sum += work[i] * work[n - 1 - i];
  MPI_Pack(&rank, 1, MPI_INT, out, room, &position, MPI_COMM_WORLD);
  MPI_Pack(x, n, MPI_DOUBLE, out, room, &position, MPI_COMM_WORLD);
  MPI_Sendrecv(out, room, MPI_BYTE, next, 1, work, room, MPI_BYTE, last, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(work, room, MPI_BYTE, next, 2, in[0], room, MPI_BYTE, last, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(work, room, MPI_BYTE, last, 3, in[1], room, MPI_BYTE, next, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int k = 0; k < 2; k++) {
    double taken[n];
    int from;
    position = 0;
    MPI_Unpack(in[k], room, &position, &from, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(in[k], room, &position, taken, n, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
      sum += taken[i] * sin(taken[i]) * x[i] * (k + 1 + from);
  }
  free(work);
  return sum;
}

GRADIENT_CHECK(packed_relayed_twice, Double, relayTwice, In(double, n))

/// By hand, where no array of numbers has them, and back.
static double relayByHand(const double *x) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  char *out = malloc(room), *in = malloc(room);
  double *work = calloc(n + 1, sizeof *work), sum = 0;
  for (int i = 0; i < n; i++)
    work[i] = x[i] * x[n - 1 - i];
  for (int i = 0; i < n; i++)
    sum += work[i] * x[i];
  for (int i = 0; i < n; i++) {
    const double packed = x[i] * x[0];
    memcpy(out + sizeof(int) + i * sizeof packed, &packed, sizeof packed);
  }
  memcpy(out, &rank, sizeof rank);
  MPI_Sendrecv(out, room, MPI_BYTE, next, 1, work, room, MPI_BYTE, last, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Request request;
  MPI_Irecv(in, room, MPI_BYTE, next, 2, MPI_COMM_WORLD, &request);
  MPI_Send(work, room, MPI_BYTE, last, 2, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++) {
    double taken;
    memcpy(&taken, in + sizeof(int) + i * sizeof taken, sizeof taken);
    sum += taken * taken * (i + 1);
  }
  free(work);
  free(in);
  free(out);
  return sum;
}

GRADIENT_CHECK(packed_relays_by_hand, Double, relayByHand, In(double, n))

struct item {
  double a;
  int k;
  double b, v[3];
};

/// In a file that packs, what is sent as bytes may be numbers all the same.
static double numbersAsBytes(const double *x) {
  int rank, size, position = 0, at = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  char out[room], in[room];
  double taken[2], w[3], pair[2], y[n];
  struct item p = {x[4], n, x[0], {x[0] * x[1], x[1] * x[2], x[2]}}, q = {0};
  MPI_Pack(&rank, 1, MPI_INT, out, room, &position, MPI_COMM_WORLD);
  MPI_Pack(x, 2, MPI_DOUBLE, out, room, &position, MPI_COMM_WORLD);
  MPI_Sendrecv(out, position, MPI_BYTE, next, 0, in, room, MPI_BYTE, last, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Unpack(in, room, &at, &position, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(in, room, &at, taken, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Sendrecv(&p, sizeof p, MPI_BYTE, next, 1, &q, sizeof q, MPI_BYTE, last, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(q.v, sizeof w, MPI_BYTE, next, 2, w, sizeof w, MPI_BYTE, last, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
  MPI_Bcast(y, sizeof y, MPI_BYTE, 0, MPI_COMM_WORLD);
  pair[0] = w[0] * q.a;
  pair[1] = q.v[2] * y[1];
  MPI_Sendrecv_replace(pair, sizeof pair, MPI_BYTE, next, 3, last, 3, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  return taken[0] * taken[1] * q.b + q.k * pair[0] * pair[1] + y[2] * w[1];
}

GRADIENT_CHECK(numbers_as_bytes, Double, numbersAsBytes, In(double, n))
