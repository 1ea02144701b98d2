// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is only passed on: received and sent again, never looked at.
// Supports: buffers that are only passed on
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

struct parcel {
  int sender;
  double load[2];
};

static double relay(const double *x, int n) {
  int rank, size;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double a[4], b[4], c[4], d[4], sum = 0;
  for (int i = 0; i < n; i++)
    a[i] = x[i] * x[i];
  MPI_Sendrecv(a, n, MPI_DOUBLE, next, 1, b, n, MPI_DOUBLE, before, 1, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(b, n, MPI_DOUBLE, next, 2, c, n, MPI_DOUBLE, before, 2, comm, MPI_STATUS_IGNORE);
  MPI_Allreduce(c, d, n, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Bcast(d, n, MPI_DOUBLE, 0, comm);
  MPI_Allreduce(MPI_IN_PLACE, d, n, MPI_DOUBLE, MPI_MAX, comm);
  for (int i = 0; i < n; i++)
    sum += d[i] * x[i];
  MPI_Datatype pair;
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  double e[4], f[4] = {0};
  MPI_Sendrecv(a, 1, pair, next, 3, e, 1, pair, before, 3, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(e, 1, pair, next, 4, f, 1, pair, before, 4, comm, MPI_STATUS_IGNORE);
  MPI_Type_free(&pair);
  double g[4], h[4];
  MPI_Sendrecv(f, sizeof f, MPI_BYTE, next, 5, g, sizeof g, MPI_BYTE, before, 5, comm,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(g, sizeof g, MPI_BYTE, next, 6, h, sizeof h, MPI_BYTE, before, 6, comm,
               MPI_STATUS_IGNORE);
  return sum + h[0] * h[2];
}

GRADIENT_CHECK(relays, Double, relay, In(double, 4), Int(4))

enum { BODY = 6 };

/// Of a message in bytes each rank looks at the beginning, and passes on the rest.
static double looksAtHeader(const double *x) {
  int rank, size;
  double token[BODY], arrived[BODY], sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < BODY; i++)
    token[i] = x[i] * x[(i + 1) % BODY];
  for (int step = 0; step < 3; step++) {
    MPI_Sendrecv(token, sizeof token, MPI_BYTE, (rank + 1) % size, step, arrived, sizeof arrived,
                 MPI_BYTE, (rank + size - 1) % size, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    arrived[0] *= x[0];
    arrived[1] += arrived[0] * x[1];
    MPI_Sendrecv(arrived, sizeof arrived, MPI_BYTE, (rank + 1) % size, 9, token, sizeof token,
                 MPI_BYTE, (rank + size - 1) % size, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < BODY; i++)
    sum += token[i] * token[i] * (1 + i);
  return sum;
}

GRADIENT_CHECK(relays_header, Double, looksAtHeader, In(double, BODY))

/// Who passes the bytes on looks at all of them, but not as numbers.
static double checksOnTheWay(const double *x, int n) {
  int rank, size;
  unsigned sum = 17;
  double out[BODY], in[BODY], result = 0;
  unsigned char *box = malloc(sizeof out);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int i = 0; i < n; i++)
    out[i] = x[i] * x[(i + 1) % n];
  MPI_Sendrecv(out, sizeof out, MPI_BYTE, next, 1, box, sizeof out, MPI_BYTE, before, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (unsigned i = 0; i < sizeof out; i++)
    sum = sum * 31 + box[i];
  MPI_Sendrecv(box, sizeof out, MPI_BYTE, next, 2, in, sizeof in, MPI_BYTE, before, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(box);
  for (int i = 0; i < n; i++)
    result += in[i] * in[i] * (1 + i);
  return sum == 0 ? 0 : result;
}

GRADIENT_CHECK(relays_checksum, Double, checksOnTheWay, In(double, BODY), Int(BODY))
