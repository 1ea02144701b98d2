// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point data as MPI_BYTE: arrays, structures with other members, broadcast and gathered.
// Supports: `MPI_BYTE` of floating-point data
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct body {
  double mass;
  int id;
  float charge;
  double place[2];
};

static double bytes(const double *x, int n) {
  int rank, size;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  struct body out[3], in[3], *all = malloc((unsigned)size * sizeof *all);
  double a[4], b[4], sum = 0;
  for (int i = 0; i < 3; i++) {
    out[i].mass = x[i] * x[i + 1];
    out[i].id = i + rank;
    out[i].charge = 1;
    out[i].place[0] = x[i] + i;
    out[i].place[1] = x[i + 1] * 2;
  }
  MPI_Sendrecv(out, sizeof out, MPI_BYTE, next, 1, in, sizeof in, MPI_BYTE, before, 1, comm,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; i++)
    sum += in[i].mass * in[i].place[0] + in[i].place[1] * in[i].id + in[i].charge;
  for (int i = 0; i < n; i++)
    a[i] = x[i] * sum;
  MPI_Bcast(a, sizeof a, MPI_BYTE, size - 1, comm);
  MPI_Allgather(&in[1], sizeof in[1], MPI_BYTE, all, sizeof *all, MPI_BYTE, comm);
  for (int r = 0; r < size; r++)
    sum += all[r].mass * all[r].place[1] * (r + 1 + rank);
  MPI_Request requests[2];
  MPI_Irecv(b, sizeof b, MPI_BYTE, before, 2, comm, &requests[0]);
  MPI_Isend(a, sizeof a, MPI_BYTE, next, 2, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  // Through a buffer of characters, as a serialiser would.
  char buffer[64];
  memcpy(buffer, b, 2 * sizeof(double));
  memcpy(buffer + 2 * sizeof(double), x, 2 * sizeof(double));
  MPI_Sendrecv_replace(buffer, 4 * sizeof(double), MPI_BYTE, next, 3, before, 3, comm,
                       MPI_STATUS_IGNORE);
  double c[4];
  memcpy(c, buffer, sizeof c);
  for (int i = 0; i < n; i++)
    sum += b[i] * c[i] * x[i];
  free(all);
  return sum;
}

GRADIENT_CHECK(bytes, Double, bytes, In(double, 4), Int(4))

// One rank names the bytes, the others their numbers; so do the two sides of one call.
static double bytes_of_one_side(const double *x, int n) {
  enum { Most = 16 };
  int rank, size;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int bytes = n * (int)sizeof(double), mine = rank == 0 ? bytes : n;
  const MPI_Datatype type = rank == 0 ? MPI_BYTE : MPI_DOUBLE;
  double a[4], b[4 * Most], c[4 * Most], d[4], sum = 0;
  if (n > 4 || size > Most)
    return 0;
  for (int i = 0; i < n; i++)
    a[i] = x[i] * x[i] + rank;
  for (int i = 0; i < n * size; i++)
    b[i] = c[i] = 0;
  MPI_Gather(a, n, MPI_DOUBLE, b, bytes, MPI_BYTE, size - 1, comm);
  for (int i = 0; i < n * size; i++)
    b[i] = b[i] * (i + 1) + a[i % n];
  MPI_Scatter(b, mine, type, d, mine, type, 0, comm);
  MPI_Alltoall(b, mine, type, c, mine, type, comm);
  for (int i = 0; i < n * size; i++)
    sum += c[i] * c[i] * d[i % n];
  MPI_Alltoall(c, bytes, MPI_BYTE, b, n, MPI_DOUBLE, comm);
  for (int i = 0; i < n * size; i++)
    sum += b[i] * (i + rank);
  return sum;
}

GRADIENT_CHECK(bytes_of_one_side, Double, bytes_of_one_side, In(double, 4), Int(4))

// Blocks that begin in the middle of a structure, and arrays that are put together by copies.
static double bytes_of_blocks(const double *x, int n) {
  enum { Most = 8, Words = 4, Block = 3, Bytes = Block * sizeof(double) };
  int rank, size, counts[Most], places[Most];
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (size > Most || sizeof(struct body) != Words * sizeof(double))
    return 0;
  struct body all[Most], some[Most];
  double mine[Block], pair[4], both[2 * Most], sum = 0;
  memset(some, 0, sizeof some);
  for (int i = 0; i < Most; i++) {
    all[i].mass = x[i % n] * x[(i + 1) % n];
    all[i].id = i;
    all[i].charge = 1;
    all[i].place[0] = x[i % n] + i;
    all[i].place[1] = x[i % n] * rank;
    counts[i] = Bytes;
    places[i] = i * Bytes;
  }
  MPI_Scatterv(all, counts, places, MPI_BYTE, mine, Bytes, MPI_BYTE, size - 1, comm);
  for (int i = 0; i < Block; i++)
    if ((rank * Block + i) % Words != 1) { // these are numbers
      sum += mine[i] * mine[i] * (i + 1);
      mine[i] *= x[0];
    }
  MPI_Gatherv(mine, Bytes, MPI_BYTE, some, counts, places, MPI_BYTE, 0, comm);
  for (int i = 0; i < Most; i++)
    sum += some[i].mass * (i + 1) + some[i].place[0] * some[i].place[1];
  memcpy(pair, x, 2 * sizeof *x);
  memcpy(pair + 2, &sum, sizeof sum);
  memcpy(pair + 3, x + 1, sizeof *x);
  MPI_Gather(pair + (rank & 2), 2 * sizeof(double), MPI_BYTE, both, 2 * sizeof(double), MPI_BYTE, 0,
             comm);
  if (rank == 0)
    for (int i = 0; i < 2 * size; i++)
      sum += both[i] * both[i] * (i + 1);
  return sum;
}

GRADIENT_CHECK(bytes_of_blocks, Double, bytes_of_blocks, In(double, 4), Int(4))
