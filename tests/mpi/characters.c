// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point data as MPI_CHAR and its relatives: messages, collectives, packed, in datatypes
// made of characters; and text, which stays text.
// Supports: `MPI_CHAR` of floating-point data
#include "GradientCheck.h"
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Most = 8 };

static void places(int *rank, int *size, int *next, int *before) {
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  *next = (*rank + 1) % *size;
  *before = (*rank + *size - 1) % *size;
}

static double characters(const double *x, int n) {
  int rank, size, next, before;
  places(&rank, &size, &next, &before);
  double a[4], b[4], c[4], sum = 0;
  for (int i = 0; i < n; i++)
    a[i] = x[i] * x[(i + 1) % n];
  const int bytes = n * (int)sizeof(double);
  MPI_Request requests[2];
  MPI_Irecv(b, bytes, MPI_CHAR, before, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(a, bytes, MPI_CHAR, next, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < n; i++)
    c[i] = sin(b[i]) * a[i];
  MPI_Bcast(c, bytes, MPI_UNSIGNED_CHAR, size - 1, MPI_COMM_WORLD);
  char title[32] = "";
  if (rank == 0)
    snprintf(title, sizeof title, "%d numbers", n);
  MPI_Bcast(title, sizeof title, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    sum += c[i] * b[i] + (double)strlen(title) * a[i];
  MPI_Sendrecv_replace(c, bytes, MPI_SIGNED_CHAR, next, 3, before, 3, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++)
    sum += c[i] * c[i] * x[i];
  return sum;
}

GRADIENT_CHECK(characters, Double, characters, In(double, 4), Int(4))

static double collected_characters(const double *x, int n) {
  int rank, size, next, before;
  places(&rank, &size, &next, &before);
  const int bytes = n * (int)sizeof(double);
  double a[4], b[4 * Most], c[4 * Most], d[4 * Most], e[4], sum = 0;
  if (n > 4 || size > Most)
    return 0;
  int counts[Most], from[Most];
  for (int r = 0; r < size; r++) {
    counts[r] = bytes;
    from[r] = (size - 1 - r) * bytes;
  }
  for (int i = 0; i < n; i++)
    a[i] = x[i] * x[i] + rank;
  for (int i = 0; i < n * size; i++)
    b[i] = 0;
  MPI_Allgather(a, bytes, MPI_CHAR, c, bytes, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Allgatherv(a, bytes, MPI_UINT8_T, d, counts, from, MPI_UINT8_T, MPI_COMM_WORLD);
  for (int i = 0; i < n * size; i++)
    sum += c[i] * d[i] * (i + 1);
  for (int i = 0; i < n * size; i++)
    c[i] = d[i] * x[i % n];
  MPI_Alltoall(c, bytes, MPI_INT8_T, d, bytes, MPI_INT8_T, MPI_COMM_WORLD);
  MPI_Gather(a, bytes, MPI_CHAR, b, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n * size; i++)
    b[i] += d[i] * d[i];
  MPI_Scatter(b, bytes, MPI_CHAR, e, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    sum += e[i] * e[i] * x[i];
  return sum;
}

GRADIENT_CHECK(collected_characters, Double, collected_characters, In(double, 4), Int(4))

struct particle {
  int id;
  char name[12];
  double mass, place[3];
};

// Structures with text in them, and a datatype of as many characters.
static double named_particles(const double *x, int n) {
  int rank, size, next, before;
  places(&rank, &size, &next, &before);
  struct particle out[2], in[2];
  memset(out, 0, sizeof out);
  for (int i = 0; i < 2; i++) {
    out[i].id = rank + i;
    snprintf(out[i].name, sizeof out[i].name, "p%d", rank);
    out[i].mass = x[i] * x[i + 1];
    for (int k = 0; k < 3; k++)
      out[i].place[k] = x[(i + k) % n] + k;
  }
  MPI_Datatype type;
  MPI_Type_contiguous(sizeof(struct particle), MPI_CHAR, &type);
  MPI_Type_commit(&type);
  double sum = 0;
  MPI_Sendrecv(out, 2, type, next, 1, in, 2, type, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; i++)
    sum += in[i].mass * in[i].place[0] * in[i].place[2] * (in[i].id + (double)strlen(in[i].name));
  MPI_Sendrecv(out, 1, type, before, 2, in, sizeof *in, MPI_CHAR, next, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  return sum + in[0].mass * in[0].mass * in[1].place[1];
}

GRADIENT_CHECK(named_particles, Double, named_particles, In(double, 4), Int(4))

// Packed, and received as what it is: characters.
static double packed_characters(const double *x, int n) {
  int rank, size, next, before, at = 0;
  places(&rank, &size, &next, &before);
  char out[128], in[128];
  double a[4], b[4], sum = 0;
  for (int i = 0; i < n; i++)
    a[i] = exp(x[i]);
  MPI_Pack(&n, 1, MPI_INT, out, sizeof out, &at, MPI_COMM_WORLD);
  MPI_Pack(a, n * (int)sizeof(double), MPI_CHAR, out, sizeof out, &at, MPI_COMM_WORLD);
  MPI_Sendrecv(out, at, MPI_PACKED, next, 1, in, sizeof in, MPI_CHAR, before, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  int m = 0;
  at = 0;
  MPI_Unpack(in, sizeof in, &at, &m, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(in, sizeof in, &at, b, m, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < m; i++)
    sum += b[i] * b[i] * x[i];
  return sum;
}

GRADIENT_CHECK(packed_characters, Double, packed_characters, In(double, 4), Int(4))

// By hand into characters, and along a chain of ranks that do not look at them.
static double relayed_characters(const double *x, int n) {
  int rank, size, next, before;
  places(&rank, &size, &next, &before);
  char *buffer = malloc(sizeof n + (unsigned)n * sizeof(double));
  const int bytes = (int)sizeof n + n * (int)sizeof(double);
  double b[4], sum = 0;
  if (rank == 0) {
    memcpy(buffer, &n, sizeof n);
    for (int i = 0; i < n; i++) {
      const double v = x[i] * x[i] * 3;
      memcpy(buffer + sizeof n + (unsigned)i * sizeof v, &v, sizeof v);
    }
  } else {
    MPI_Recv(buffer, bytes, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank + 1 < size)
    MPI_Send(buffer, bytes, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
  if (rank == size - 1) {
    int m = 0;
    memcpy(&m, buffer, sizeof m);
    memcpy(b, buffer + sizeof m, (unsigned)m * sizeof(double));
    for (int i = 0; i < m; i++)
      sum += b[i] * b[i] * x[i];
  }
  free(buffer);
  return sum;
}

GRADIENT_CHECK(relayed_characters, Double, relayed_characters, In(double, 4), Int(4))

// Blocks of characters in an array of numbers, blocks for all ranks, and a message of any length.
static double blocks_of_characters(const double *x, int n) {
  int rank, size, next, before;
  places(&rank, &size, &next, &before);
  const int width = (int)sizeof(double);
  double f[8], g[8] = {0}, a[2 * Most], b[2 * Most], sum = 0;
  int counts[Most], from[Most], lengths[3] = {width, 2 * width, width};
  int starts[3] = {0, 2 * width, 7 * width};
  if (size > Most)
    return 0;
  for (int i = 0; i < 8; i++)
    f[i] = x[i % n] * (i + x[0]);
  MPI_Datatype type;
  MPI_Type_indexed(3, lengths, starts, MPI_CHAR, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv(f, 1, type, next, 0, g, 1, type, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  for (int r = 0; r < size; r++) {
    counts[r] = 2 * width;
    from[r] = 2 * width * r;
  }
  for (int i = 0; i < 2 * size; i++)
    a[i] = g[i % 8] * x[i % n] + f[i % 8];
  MPI_Alltoallv(a, counts, from, MPI_CHAR, b, counts, from, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Isend(b, (1 + rank % 2) * width, MPI_CHAR, next, 2, MPI_COMM_WORLD, &request);
  MPI_Status status;
  int length = 0;
  MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_CHAR, &length);
  double *got = malloc((unsigned)length);
  MPI_Recv(got, length, MPI_CHAR, status.MPI_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < length / width; i++)
    sum += got[i] * got[i] * x[i];
  free(got);
  return sum + b[0] * b[2 * size - 1];
}

GRADIENT_CHECK(blocks_of_characters, Double, blocks_of_characters, In(double, 4), Int(4))
