// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of derived datatypes, different on the two sides, with gaps.
// Supports: derived datatypes, distributed arrays
#include "GradientCheck.h"
#include <mpi.h>
#include <stddef.h>

struct particle {
  double position[3];
  int id;
  float charge;
  double mass;
};

static double derived(const double *x, int n) {
  int rank, size;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double a[36], b[36], sum = 0;
  for (int i = 0; i < 36; i++) {
    a[i] = x[i % n] * x[(i + 1) % n] * (1 + 0.1 * i);
    b[i] = 0.5 * x[i % n];
  }
  MPI_Datatype column, block, picked, particle, part, twice;
  MPI_Type_vector(6, 1, 6, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(a + 2, 1, column, next, 1, b, 6, MPI_DOUBLE, before, 1, comm, MPI_STATUS_IGNORE);
  const int sizes[] = {6, 6}, sub[] = {2, 3}, starts[] = {1, 2};
  MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, MPI_DOUBLE, &block);
  MPI_Type_commit(&block);
  const int lengths[] = {2, 1, 3}, places[] = {30, 1, 8};
  MPI_Type_indexed(3, lengths, places, MPI_DOUBLE, &picked);
  MPI_Type_commit(&picked);
  MPI_Sendrecv(a, 1, block, before, 2, b, 1, picked, next, 2, comm, MPI_STATUS_IGNORE);
  MPI_Type_create_resized(column, 0, sizeof(double), &twice);
  MPI_Type_commit(&twice);
  MPI_Bcast(b + 1, 2, twice, 0, comm);
  const int parts[] = {3, 1, 1};
  const MPI_Aint at[] = {offsetof(struct particle, position), offsetof(struct particle, id),
                         offsetof(struct particle, mass)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE};
  MPI_Type_create_struct(3, parts, at, types, &part);
  MPI_Type_create_resized(part, 0, sizeof(struct particle), &particle);
  MPI_Type_commit(&particle);
  struct particle out[2], in[2] = {{{0, 0, 0}, 0, 2, 0}, {{0, 0, 0}, 0, 3, 0}};
  for (int p = 0; p < 2; p++) {
    for (int i = 0; i < 3; i++)
      out[p].position[i] = b[6 * p + i] * x[i];
    out[p].id = p + rank;
    out[p].charge = 1;
    out[p].mass = x[0] + p;
    in[p].charge = 0.5f + p;
  }
  MPI_Sendrecv(out, 2, particle, next, 3, in, 2, particle, before, 3, comm, MPI_STATUS_IGNORE);
  for (int p = 0; p < 2; p++)
    sum += in[p].mass * in[p].position[p] * in[p].position[2] * in[p].charge + in[p].id;
  for (int i = 0; i < 36; i++)
    sum += b[i] * b[i];
  MPI_Type_free(&column);
  MPI_Type_free(&block);
  MPI_Type_free(&picked);
  MPI_Type_free(&twice);
  MPI_Type_free(&part);
  MPI_Type_free(&particle);
  return sum;
}

GRADIENT_CHECK(derived_types, Double, derived, In(double, 5), Int(5))

/// The blocks of a cyclic distribution, from one array into another rank's.
static double distributed(const double *x) {
  int rank, size;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int sizes[] = {5, 6}, how[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
  int arguments[] = {2, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 1};
  double a[5][6], b[5][6], sum = 0;
  for (int i = 0; i < 30; i++) {
    a[i / 6][i % 6] = x[i % 5] * (i + 1) * x[0];
    b[i / 6][i % 6] = 1 + x[1] * i;
  }
  for (int part = 0; part < 2; part++) {
    MPI_Datatype type;
    MPI_Type_create_darray(2, part, 2, sizes, how, arguments, grid, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(a, 1, type, (rank + 1) % size, part, b, 1, type, (rank + size - 1) % size, part,
                 comm, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    for (int i = 0; i < 30; i++)
      sum += b[i / 6][i % 6] * b[i / 6][i % 6] * (part + 1);
  }
  return sum;
}

GRADIENT_CHECK(distributed_types, Double, distributed, In(double, 5))

/// The last of three processes has none of two numbers.
static double fewerThanParts(const double *x) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int count = 2, how = MPI_DISTRIBUTE_CYCLIC, argument = 1, parts = 3;
  double a[2] = {x[0] * x[1], x[1] * x[2]}, b[2] = {0, 0}, sum = 0;
  for (int part = 0; part < parts; part++) {
    MPI_Datatype type;
    MPI_Type_create_darray(parts, part, 1, &count, &how, &argument, &parts, MPI_ORDER_C, MPI_DOUBLE,
                           &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(a, 1, type, (rank + 1) % size, part, b, 1, type, (rank + size - 1) % size, part,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    sum += b[0] * b[0] + (part + 1) * b[1] * x[0];
  }
  return sum;
}

GRADIENT_CHECK(distributed_few, Double, fewerThanParts, In(double, 3))
