// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages from and to MPI_BOTTOM: the datatype says where the values are. Variables of the stack,
// arguments and members of structures, integers among them; blocking, nonblocking, persistent, and
// a broadcast of what a program would read from its input; blocks for every rank and for
// neighbours; and accesses to windows.
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
  double a[3] = {x[0] * x[1], x[2], 1}, b = x[3], got[5] = {0}, fetched[5] = {0}, part[5];
  MPI_Win window; // MPICH 4.0 adds twice to memory of its own
  MPI_Win_create(part, sizeof part, sizeof *part, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
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

static int ranks(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// To every rank another block, by a datatype of its own; from one block and to it.
static double movements(const double *x, double *y, int n) {
  const int size = ranks();
  double *out = malloc((size_t)(size * n) * sizeof *out),
         *in = calloc((size_t)(size * n), sizeof *in);
  int *ones = malloc((size_t)size * sizeof *ones), *zeros = calloc((size_t)size, sizeof *zeros);
  MPI_Datatype *from = malloc((size_t)size * sizeof *from), *to = malloc((size_t)size * sizeof *to);
  for (int r = 0; r < size; r++) {
    ones[r] = 1;
    for (int i = 0; i < n; i++)
      out[r * n + i] = x[i] * x[(i + r) % n] * (r + 1);
    from[r] = blocks(n, out + r * n, 1);
    to[r] = blocks(n, in + r * n + n - 1, -1);
  }
  MPI_Alltoallw(MPI_BOTTOM, ones, zeros, from, MPI_BOTTOM, ones, zeros, to, MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Ialltoallw(MPI_BOTTOM, ones, zeros, to, MPI_BOTTOM, ones, zeros, from, MPI_COMM_WORLD,
                 &request);
  double a[3] = {in[0] * x[0], x[1], 1}, b = in[n - 1], got[5];
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Datatype mine = gathered(a, &b, x), back = gathered(got, got + 2, got + 3);
  double *all = malloc((size_t)(5 * size) * sizeof *all), sum = 0;
  MPI_Allgather(MPI_BOTTOM, 1, mine, all, 5, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < 5 * size; i++)
    all[i] *= all[5 * size - 1 - i];
  MPI_Scatter(all, 5, MPI_DOUBLE, MPI_BOTTOM, 1, back, size - 1, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) {
    y[i] = got[i % 5] * out[i] * in[n * size - 1 - i];
    sum += y[i];
  }
  for (int r = 0; r < size; r++) {
    MPI_Type_free(&from[r]);
    MPI_Type_free(&to[r]);
  }
  MPI_Type_free(&mine);
  MPI_Type_free(&back);
  void *used[7] = {out, in, ones, zeros, from, to, all};
  for (int i = 0; i < 7; i++)
    free(used[i]);
  return sum;
}

// The addresses are the displacements.
static double neighbours(const double *x, double *y, int n) {
  double low[2] = {x[0], x[1] * x[2]}, high[2] = {x[1], x[0] * x[0]}, left[2] = {0}, right[2] = {0};
  double sum = 0;
  const int both[2] = {neighbour(-1), neighbour(1)}, counts[2] = {2, 2};
  const MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Aint from[2], to[2];
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, both, MPI_UNWEIGHTED, 2, both, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  MPI_Get_address(low, &from[0]);
  MPI_Get_address(high, &from[1]);
  MPI_Get_address(left, &to[0]);
  MPI_Get_address(right, &to[1]);
  for (int i = 0; i < n; i++) {
    MPI_Neighbor_alltoallw(MPI_BOTTOM, counts, from, types, MPI_BOTTOM, counts, to, types, ring);
    low[i % 2] += 0.1 * left[0] * right[1];
    y[i] = left[1] * right[i % 2];
    sum += y[i] * low[0];
  }
  MPI_Comm_free(&ring);
  return sum;
}

GRADIENT_CHECK(absolute_messages, Double, messages, InOut(double, 4), Out(double, 5), Int(3))
GRADIENT_CHECK(absolute_broadcast, Double, broadcast, In(double, 4), Out(double, 4), Int(4))
GRADIENT_CHECK(absolute_persistent, Double, persistent, In(double, 4), Out(double, 4), Int(4))
GRADIENT_CHECK(absolute_scattered, Double, scattered, In(double, 5), Out(double, 5), Int(5))
GRADIENT_CHECK(absolute_movements, Double, movements, In(double, 4), Out(double, 4), Int(4))
GRADIENT_CHECK(absolute_neighbours, Double, neighbours, In(double, 3), Out(double, 3), Int(3))
GRADIENT_CHECK(absolute_accesses, Double, accesses, In(double, 5))
