// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages that carry constants on some ranks only, and results that nobody uses; integers and text
// beside active members of one structure.
// Supports: messages of constants, `MPI_PROC_NULL`
#include "GradientCheck.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double partly(const double *x, const double *table, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double out[4], in[4], ignored = 0, sum = 0;
  for (int i = 0; i < n; i++)
    out[i] = rank % 2 ? table[i] : x[i] * x[i];
  MPI_Sendrecv(out, n, MPI_DOUBLE, (rank + 1) % size, 0, in, n, MPI_DOUBLE,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(&out[0], &ignored, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    sum += in[i] * x[i];
  return sum;
}

GRADIENT_CHECK(inactive_messages, Double, partly, In(double, 4), Const(double, 4), Int(4))

struct part {
  int count, places[6];
  char name[12];
  double values[6], weight;
};

/// How far a message of integers reaches is known when it is sent: up to the numbers.
static double inPieces(const double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  struct part out = {3 + rank % 3, {0}, "part", {0}, x[0] * x[1]}, in = {0};
  for (int i = 0; i < out.count; i++) {
    out.places[i] = (i * 5 + rank) % n;
    out.values[i] = x[out.places[i]] * x[i];
  }
  MPI_Sendrecv(&out.count, 1, MPI_INT, to, 0, &in.count, 1, MPI_INT, from, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(out.places, out.count, MPI_INT, to, 1, in.places, in.count, MPI_INT, from, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out.name, (int)strlen(out.name) + 1, MPI_CHAR, to, 2, in.name, 12, MPI_CHAR, from, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out.values, out.count, MPI_DOUBLE, to, 3, in.values, in.count, MPI_DOUBLE, from, 3,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&out.weight, 1, MPI_DOUBLE, to, 4, &in.weight, 1, MPI_DOUBLE, from, 4,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double sum = in.weight;
  for (int i = 0; i < in.count; i++)
    sum += in.values[i] * x[in.places[i]] * (in.name[0] == 'p');
  return sum;
}

GRADIENT_CHECK(integers_beside_numbers, Double, inPieces, In(double, 6), Int(6))

struct settings {
  double step;
  char name[16];
  int count;
};

/// Text and flags: of one rank for all, of all for all, in a structure beside a number.
static double text(const double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char title[64] = "", *copied = malloc(40), *all = malloc(64 * (unsigned)size);
  unsigned char flags[8] = {0}, any[8];
  strcpy(copied, "hello");
  if (rank == 0)
    snprintf(title, sizeof title, "n=%d", n);
  MPI_Bcast(title, sizeof title, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Bcast(copied, (int)strlen(copied) + 1, MPI_CHAR, 0, MPI_COMM_WORLD);
  flags[rank % 8] = 1;
  MPI_Allreduce(flags, any, 8, MPI_UNSIGNED_CHAR, MPI_LOR, MPI_COMM_WORLD);
  unsigned char bit = (unsigned char)(1 << rank % 8), bits, before = 0;
  MPI_Allreduce(&bit, &bits, 1, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  MPI_Exscan(&bit, &before, 1, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
  if (rank == 0)
    before = 0;
  MPI_Reduce_local(&bit, &before, 1, MPI_BYTE, MPI_BOR);
  MPI_Allgather(title, sizeof title, MPI_CHAR, all, sizeof title, MPI_CHAR, MPI_COMM_WORLD);
  struct settings chosen = {x[0] * x[1], "abc", n};
  MPI_Bcast(chosen.name, sizeof chosen.name, MPI_CHAR, 0, MPI_COMM_WORLD);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i] * chosen.step *
           (any[0] + bits + before + (double)strlen(chosen.name) + all[64 * size - 64]);
  free(copied);
  free(all);
  return sum;
}

GRADIENT_CHECK(text_beside_numbers, Double, text, In(double, 4), Int(4))
