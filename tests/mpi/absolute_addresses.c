// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages from and to MPI_BOTTOM: the datatype says where the values are. Variables of the stack,
// arguments and members of structures, integers among them; blocking, nonblocking, persistent, and
// a broadcast of what a program would read from its input; and accesses to windows.
// Supports: `MPI_BOTTOM` with datatypes of absolute addresses
#include "GradientCheck.h"
#include "Neighbour.h"
#include <math.h>
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

// Three blocks of one process: an array, a variable, a part of an argument.
static MPI_Datatype gathered(const double *a, const double *b, const double *part) {
  int lengths[3] = {2, 1, 2};
  MPI_Aint places[3];
  MPI_Datatype types[3] = {MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE}, type;
  MPI_Get_address(a, &places[0]);
  MPI_Get_address(b, &places[1]);
  MPI_Get_address(part, &places[2]);
  MPI_Type_create_struct(3, lengths, places, types, &type);
  MPI_Type_commit(&type);
  return type;
}

static double messages(double *x, double *y, int steps) {
  double a[3] = {x[0] * x[1], sin(x[1]), 2}, b = x[2], sum = 0;
  MPI_Datatype from = gathered(a, &b, x + 1), to = gathered(y, y + 4, y + 2);
  for (int s = 0; s < steps; s++) {
    MPI_Request request;
    MPI_Irecv(MPI_BOTTOM, 1, to, neighbour(-1), s, MPI_COMM_WORLD, &request);
    MPI_Send(MPI_BOTTOM, 1, from, neighbour(1), s, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    a[s % 2] = y[4] * y[0] * 0.5;
    b += y[1] * y[2];
    x[1] *= cos(y[3]);
    sum += a[0] * b + a[2];
  }
  MPI_Type_free(&from);
  MPI_Type_free(&to);
  return sum;
}

struct settings {
  int steps;
  double rate;
  char name[5];
  float scale;
  double table[3];
};

// As programs distribute what rank 0 has read.
static void distribute(struct settings *s) {
  int lengths[4] = {1, 1, 1, 3};
  MPI_Aint places[4];
  MPI_Datatype types[4] = {MPI_INT, MPI_DOUBLE, MPI_FLOAT, MPI_DOUBLE}, type;
  MPI_Get_address(&s->steps, &places[0]);
  MPI_Get_address(&s->rate, &places[1]);
  MPI_Get_address(&s->scale, &places[2]);
  MPI_Get_address(s->table, &places[3]);
  MPI_Type_create_struct(4, lengths, places, types, &type);
  MPI_Type_commit(&type);
  MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  MPI_Type_free(&type);
}

static double broadcast(const double *x, double *y, int n) {
  struct settings *s = calloc(1, sizeof *s);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    s->steps = 3;
    s->rate = x[0] * x[1];
    for (int i = 0; i < 3; i++)
      s->table[i] = exp(0.1 * x[i]);
  }
  distribute(s);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    y[i] = x[i];
    for (int k = 0; k < s->steps; k++)
      y[i] += s->rate * sin(y[i]) * s->table[k];
    sum += y[i];
  }
  free(s);
  return sum;
}

static double persistent(const double *x, double *y, int n) {
  double out = 0, in = 0;
  MPI_Aint place;
  MPI_Datatype send, receive;
  const int one = 1;
  MPI_Get_address(&out, &place);
  MPI_Type_create_hindexed(1, &one, &place, MPI_DOUBLE, &send);
  MPI_Get_address(&in, &place);
  MPI_Type_create_hindexed(1, &one, &place, MPI_DOUBLE, &receive);
  MPI_Type_commit(&send);
  MPI_Type_commit(&receive);
  MPI_Request requests[2];
  MPI_Send_init(MPI_BOTTOM, 1, send, neighbour(1), 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(MPI_BOTTOM, 1, receive, neighbour(-1), 0, MPI_COMM_WORLD, &requests[1]);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    out = x[i] * x[i] + in;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    y[i] = in * x[n - 1 - i];
    sum += y[i];
  }
  for (int i = 0; i < 2; i++)
    MPI_Request_free(&requests[i]);
  MPI_Type_free(&send);
  MPI_Type_free(&receive);
  return sum;
}

// Blocks in reverse order, with gaps, from whoever sends; several items, and more room than values.
static MPI_Datatype blocks(int count, double *first, int step) {
  int lengths[6];
  MPI_Aint places[6];
  MPI_Datatype type;
  for (int i = 0; i < count; i++) {
    lengths[i] = 1;
    MPI_Get_address(first + (ptrdiff_t)step * i, &places[i]);
  }
  MPI_Type_create_hindexed(count, lengths, places, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static double scattered(const double *x, double *y, int n) {
  double u[12], v[12], sum = 0;
  for (int i = 0; i < 12; i++) {
    u[i] = sin(x[i % n] * (i + 1));
    v[i] = x[i % n];
  }
  MPI_Datatype from = blocks(6, u, 2), to = blocks(6, v + 11, -2);
  MPI_Request request;
  MPI_Message message;
  MPI_Isend(MPI_BOTTOM, 1, from, neighbour(1), 3, MPI_COMM_WORLD, &request);
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(MPI_BOTTOM, 1, to, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 12; i++)
    sum += v[i] * u[i * 5 % 12];
  MPI_Datatype single = blocks(1, u, 0), wide, room = blocks(6, v, 1);
  MPI_Type_create_resized(single, 0, 3 * sizeof(double), &wide);
  MPI_Type_commit(&wide);
  MPI_Sendrecv(MPI_BOTTOM, 2, wide, neighbour(1), 4, MPI_BOTTOM, 1, room, neighbour(-1), 4,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Datatype all[5] = {from, to, single, wide, room};
  for (int i = 0; i < 5; i++)
    MPI_Type_free(&all[i]);
  for (int i = 0; i < n; i++) {
    y[i] = v[i] * v[i] * (i + 1) + u[i];
    sum += y[i];
  }
  return sum;
}

// The origin of accesses to windows, between fences and under locks.
static double accesses(const double *x) {
  double a[3] = {x[0] * x[1], x[2], 1}, b = x[3], got[5] = {0}, fetched[5] = {0}, *part;
  MPI_Win window;
  MPI_Win_allocate(5 * sizeof *part, sizeof *part, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
  for (int i = 0; i < 5; i++)
    part[i] = x[i] * x[i];
  MPI_Datatype from = gathered(a, &b, x), to = gathered(got, got + 2, got + 3),
               old = gathered(fetched, fetched + 2, fetched + 3);
  MPI_Win_fence(0, window);
  MPI_Get(MPI_BOTTOM, 1, to, neighbour(1), 0, 5, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Put(MPI_BOTTOM, 1, from, neighbour(-1), 0, 5, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  a[0] *= got[4];
  b = got[0] * got[2];
  MPI_Accumulate(MPI_BOTTOM, 1, from, neighbour(1), 0, 5, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Get_accumulate(MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, old, neighbour(1), 0, 5, MPI_DOUBLE,
                     MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Request request;
  MPI_Win_lock(MPI_LOCK_SHARED, neighbour(-1), 0, window);
  MPI_Rget(MPI_BOTTOM, 1, to, neighbour(-1), 0, 5, MPI_DOUBLE, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock(neighbour(-1), window);
  double sum = 0;
  for (int i = 0; i < 5; i++)
    sum += (i + 1) * fetched[i] * got[i] * part[i];
  MPI_Type_free(&from);
  MPI_Type_free(&to);
  MPI_Type_free(&old);
  MPI_Win_free(&window);
  return sum;
}

GRADIENT_CHECK(absolute_messages, Double, messages, InOut(double, 4), Out(double, 5), Int(3))
GRADIENT_CHECK(absolute_broadcast, Double, broadcast, In(double, 4), Out(double, 4), Int(4))
GRADIENT_CHECK(absolute_persistent, Double, persistent, In(double, 4), Out(double, 4), Int(4))
GRADIENT_CHECK(absolute_scattered, Double, scattered, In(double, 5), Out(double, 5), Int(5))
GRADIENT_CHECK(absolute_accesses, Double, accesses, In(double, 5))
