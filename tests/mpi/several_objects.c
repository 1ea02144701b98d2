// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datatypes that lead from the object of the buffer into others, without MPI_BOTTOM: differences of
// addresses and of pointers, of arguments, of the heap and of the stack; messages, persistent ones,
// collectives, and packing.
// Supports: datatypes that lead from the buffer to other objects
#include "GradientCheck.h"
#include "Neighbour.h"
#include "TwoArrays.h"
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

static double differences(const double *x, double *y, int n) {
  double *a = malloc(n * sizeof *a), *c = malloc(n * sizeof *c), *e = malloc(3 * sizeof *e);
  double *b = malloc(n * sizeof *b), *d = malloc(n * sizeof *d), sum = 0;
  for (int i = 0; i < n; i++) {
    a[i] = sin(x[i]);
    b[i] = x[i] * x[(i + 1) % n];
    c[i] = d[i] = 0;
  }
  MPI_Datatype from = pair(a, b, n, n), to = pair(d, c, n, n);
  MPI_Request request;
  MPI_Irecv(d, 1, to, neighbour(-1), 0, MPI_COMM_WORLD, &request);
  MPI_Send(a, 1, from, neighbour(1), 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++) {
    y[i] = c[i] * d[n - 1 - i];
    sum += y[i] * y[i];
  }
  MPI_Bcast(a, 1, from, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 3; i++)
    e[i] = a[i] * b[n - 1 - i];
  for (int i = 0; i < 3; i++)
    sum += e[i];
  MPI_Type_free(&from);
  MPI_Type_free(&to);
  free(a);
  free(b);
  free(c);
  free(d);
  free(e);
  return sum;
}

static double subtracted(double *x, double *y, int n) {
  const int lengths[2] = {n, n};
  const MPI_Aint places[2] = {0, (const char *)y - (const char *)x};
  MPI_Datatype type;
  double sum = 0;
  MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
  MPI_Sendrecv_replace(x, 1, type, neighbour(1), 0, neighbour(-1), 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++)
    sum += sin(x[i]) * y[n - 1 - i];
  MPI_Type_free(&type);
  return sum;
}

static double persistent(const double *x, double *y, int n) {
  double out[4], more[4], in[4], rest[4], sum = 0;
  MPI_Datatype from = pair(out, more, 4, 3), to = pair(in, rest, 4, 3);
  MPI_Request requests[2];
  MPI_Send_init(out, 1, from, neighbour(1), 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, 1, to, neighbour(-1), 0, MPI_COMM_WORLD, &requests[1]);
  for (int k = 0; k < 4; k++)
    in[k] = rest[k] = x[0];
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 4; k++) {
      out[k] = x[(i + k) % n] * rest[k];
      more[k] = in[k] + 0.3;
    }
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    y[i] = in[i % 4] * rest[(i + 1) % 3];
    sum += y[i];
  }
  for (int i = 0; i < 2; i++)
    MPI_Request_free(&requests[i]);
  MPI_Type_free(&from);
  MPI_Type_free(&to);
  return sum;
}

struct panel {
  int n;
  double *parts[3];
};

// As a solver broadcasts what it has factorised; the memory is used again for other parts.
static double panel(const double *x, int n) {
  struct panel *p = calloc(1, sizeof *p);
  int lengths[3];
  MPI_Aint places[3];
  MPI_Datatype types[3], type;
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    p->parts[i] = malloc((n + i) * sizeof(double));
    for (int k = 0; k < n + i; k++)
      p->parts[i][k] = x[k % 3] * (i + 1) + x[(k + 1) % 3] * x[k % 3];
    lengths[i] = n + i;
    types[i] = MPI_DOUBLE;
    MPI_Get_address(p->parts[i], &places[i]);
  }
  for (int i = 2; i >= 0; i--)
    places[i] -= places[0];
  MPI_Type_create_struct(3, lengths, places, types, &type);
  MPI_Type_commit(&type);
  MPI_Bcast(p->parts[0], 1, type, 0, MPI_COMM_WORLD);
  for (int k = 0; k < n; k++)
    sum += p->parts[0][k] * p->parts[1][k + 1] * p->parts[2][n - 1 - k];
  MPI_Type_free(&type);
  for (int i = 0; i < 3; i++)
    free(p->parts[i]);
  free(p);
  return sum;
}

static double panels(const double *x, double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    y[i] = panel(x, 2 + i * 7 % 5);
    sum += y[i];
  }
  return sum;
}

// Members of structures beside it, which are in one object each.
struct particle {
  int kind;
  double at[2];
  double weight;
};

static double packed(const double *x, double *y, int n) {
  double a[3], b[2], c[3] = {0}, d[2] = {0}, sum = 0;
  struct particle p = {1, {x[0] * x[1], x[2]}, x[1]}, q = {0};
  char bytes[64];
  int at = 0, lengths[3] = {1, 2, 1};
  MPI_Aint places[3], start;
  MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_DOUBLE}, type;
  for (int i = 0; i < 3; i++)
    a[i] = x[i] * x[n - 1 - i];
  for (int i = 0; i < 2; i++)
    b[i] = exp(0.1 * x[i]);
  MPI_Datatype from = pair(a, b, 3, 2), to = pair(d, c, 2, 3);
  MPI_Pack(a, 1, from, bytes, sizeof bytes, &at, MPI_COMM_WORLD);
  MPI_Sendrecv_replace(bytes, at, MPI_PACKED, neighbour(1), 0, neighbour(-1), 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  at = 0;
  MPI_Unpack(bytes, sizeof bytes, &at, d, 1, to, MPI_COMM_WORLD);
  MPI_Get_address(&p, &start);
  MPI_Get_address(&p.kind, &places[0]);
  MPI_Get_address(p.at, &places[1]);
  MPI_Get_address(&p.weight, &places[2]);
  for (int i = 0; i < 3; i++)
    places[i] -= start;
  MPI_Type_create_struct(3, lengths, places, types, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv(&p, 1, type, neighbour(1), 1, &q, 1, type, neighbour(-1), 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++) {
    y[i] = c[i % 3] * d[i % 2] + q.at[i % 2] * q.weight * q.kind;
    sum += y[i];
  }
  MPI_Datatype all[3] = {from, to, type};
  for (int i = 0; i < 3; i++)
    MPI_Type_free(&all[i]);
  return sum;
}

GRADIENT_CHECK(several_differences, Double, differences, In(double, 5), Out(double, 5), Int(5))
GRADIENT_CHECK(several_subtracted, Double, subtracted, InOut(double, 5), Out(double, 5), Int(5))
GRADIENT_CHECK(several_persistent, Double, persistent, In(double, 5), Out(double, 5), Int(5))
GRADIENT_CHECK(several_panels, Double, panels, In(double, 4), Out(double, 4), Int(4))
GRADIENT_CHECK(several_packed, Double, packed, In(double, 4), Out(double, 4), Int(4))
