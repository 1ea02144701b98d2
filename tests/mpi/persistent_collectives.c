// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every persistent collective, started several times, with other ones open at the same time, which
// ranks start and complete in orders of their own.
// Supports: persistent collectives
#include "GradientCheck.h"
#include "Lines.h"
#include "OpenCollectives.h"
#include "PersistentCollectives.h"

enum { N = 3, Most = 8, Steps = 3 };
#define D MPI_DOUBLE

/// They were matched where they were made.
static void startAll(int n, MPI_Request *requests, int step) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (step % 2)
    MPI_Startall(n, requests);
  else
    for (int i = 0; i < n; i++)
      MPI_Start(&requests[rank % 2 ? n - 1 - i : i]);
}

static void freeAll(int n, MPI_Request *requests) {
  for (int i = 0; i < n; i++)
    MPI_Request_free(&requests[i]);
}

static double movements(const double *x, int n) {
  int rank, size, counts[Most], starts[Most];
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  double a[Most * N], b[Most * N], c[Most * N], d[Most * N], e[N], sum = 0;
  MPI_Request requests[5];
  for (int r = 0; r < size; r++) {
    counts[r] = 1 + r % 3;
    starts[r] = N * r;
  }
  for (int i = 0; i < size * N; i++) {
    a[i] = x[i % n] * (1 + 0.1 * i);
    b[i] = c[i] = d[i] = x[(i + 1) % n];
  }
  e[0] = x[0] * x[1];
  e[1] = x[2] * rank;
  e[2] = 1;
  MPIX_Gather_init(a, n, D, b, n, D, size - 1, comm, MPI_INFO_NULL, &requests[0]);
  MPIX_Allgather_init(a, n, D, c, n, D, comm, MPI_INFO_NULL, &requests[1]);
  MPIX_Alltoall_init(a, n, D, d, n, D, comm, MPI_INFO_NULL, &requests[2]);
  MPIX_Bcast_init(e, n, D, 0, comm, MPI_INFO_NULL, &requests[3]);
  MPIX_Barrier_init(comm, MPI_INFO_NULL, &requests[4]);
  for (int s = 0; s < Steps; s++) {
    startAll(5, requests, s);
    finish(5, requests, rank);
    sum += weigh(b, size * N, rank) + weigh(c, size * N, rank) + weigh(d, size * N, rank) +
           weigh(e, n, rank);
    for (int i = 0; i < size * N; i++)
      a[i] = 0.3 * c[i] * d[i] + 0.1 * a[i];
    e[rank % n] = a[0] + e[1];
  }
  freeAll(5, requests);
  MPIX_Gatherv_init(d, counts[rank], D, b, counts, starts, D, 0, comm, MPI_INFO_NULL, &requests[0]);
  MPIX_Allgatherv_init(d, counts[rank], D, c, counts, starts, D, comm, MPI_INFO_NULL, &requests[1]);
  MPIX_Scatter_init(a, n, D, e, n, D, size - 1, comm, MPI_INFO_NULL, &requests[2]);
  for (int s = 0; s < Steps; s++) {
    startAll(3, requests, s);
    finish(3, requests, rank + s);
    sum += weigh(b, size * N, rank) + weigh(c, size * N, rank) * x[0] + weigh(e, n, rank);
    for (int i = 0; i < size * N; i++)
      d[i] = 0.2 * c[(i + 1) % (size * N)] + e[i % n];
  }
  freeAll(3, requests);
  return sum;
}

GRADIENT_CHECK(persistent_movements, Double, movements, In(double, N), Int(N))

static double blocks(const double *x, int n) {
  int rank, size, out[Most], in[Most], starts[Most], bytes[Most];
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  double a[Most * N], b[Most * N], c[Most * N], e[N], sum = 0;
  MPI_Datatype types[Most];
  MPI_Request requests[3];
  for (int r = 0; r < size; r++) {
    out[r] = in[r] = (rank + r) % 3;
    starts[r] = N * r;
    bytes[r] = N * r * (int)sizeof(double);
    types[r] = D;
  }
  for (int i = 0; i < size * N; i++) {
    a[i] = x[i % n] * (1 + 0.1 * i);
    b[i] = c[i] = x[(i + 1) % n];
  }
  for (int i = 0; i < n; i++)
    e[i] = x[i];
  MPIX_Alltoallv_init(a, out, starts, D, b, in, starts, D, comm, MPI_INFO_NULL, &requests[0]);
  MPIX_Alltoallw_init(a, out, bytes, types, c, in, bytes, types, comm, MPI_INFO_NULL, &requests[1]);
  MPIX_Scatterv_init(a, out, starts, D, e, rank % 3, D, 0, comm, MPI_INFO_NULL, &requests[2]);
  for (int s = 0; s < Steps; s++) {
    startAll(3, requests, s);
    finish(3, requests, rank);
    sum += weigh(b, size * N, rank) + weigh(c, size * N, rank) * x[1] + weigh(e, n, rank);
    for (int i = 0; i < size * N; i++)
      a[i] = 0.5 * a[i] + b[i] * c[i] * 0.1 + e[i % n];
  }
  freeAll(3, requests);
  return sum;
}

GRADIENT_CHECK(persistent_blocks, Double, blocks, In(double, N), Int(N))

#ifndef MPICH_VERSION // 4.0 does not complete several persistent reductions, also without
                      // derivatives
static double reductions(const double *x, int n) {
  int rank, size, counts[Most], flag = 0;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  double a[N], b[N], c[N], d[N], e[N] = {1, 1, 1}, f[N], g[Most * N], h[N] = {0}, k[N], sum = 0;
  MPI_Request requests[7];
  for (int i = 0; i < n; i++)
    f[i] = a[i] = x[i] * x[(i + 1) % n];
  for (int i = 0; i < size * N; i++)
    g[i] = x[i % n] * (1 + i);
  for (int r = 0; r < size; r++)
    counts[r] = r % 3;
  MPIX_Allreduce_init(a, b, n, D, MPI_MAX, comm, MPI_INFO_NULL, &requests[0]);
  MPIX_Allreduce_init(MPI_IN_PLACE, f, n, D, MPI_PROD, comm, MPI_INFO_NULL, &requests[1]);
  MPIX_Scan_init(a, c, n, D, MPI_SUM, comm, MPI_INFO_NULL, &requests[2]);
  MPIX_Exscan_init(a, e, n, D, MPI_PROD, comm, MPI_INFO_NULL, &requests[3]);
  MPIX_Reduce_init(a, d, n, D, MPI_MIN, size - 1, comm, MPI_INFO_NULL, &requests[4]);
  MPIX_Reduce_scatter_init(g, h, counts, D, MPI_SUM, comm, MPI_INFO_NULL, &requests[5]);
  MPIX_Reduce_scatter_block_init(g, k, n, D, MPI_SUM, comm, MPI_INFO_NULL, &requests[6]);
  for (int s = 0; s < Steps; s++) {
    startAll(7, requests, s);
    flag = 0;
    if (rank % 2 == 0)
      while (!flag)
        MPI_Testall(7, requests, &flag, MPI_STATUSES_IGNORE);
    else
      finish(7, requests, rank);
    sum += weigh(b, n, rank) + weigh(c, n, rank) * x[0] + weigh(e, n, rank) + weigh(f, n, 1) +
           weigh(h, counts[rank], rank) + weigh(k, n, rank);
    if (rank == size - 1)
      sum += weigh(d, n, 0);
    for (int i = 0; i < n; i++) {
      a[i] = 0.3 * b[i] + 0.2 * c[i] * x[i] / (1 + c[i] * c[i]) + 0.1 * x[i] * rank;
      f[i] = 0.5 * x[i] + 0.1 * a[i];
    }
    for (int i = 0; i < size * N; i++)
      g[i] = a[i % n] * x[(i + s) % n] + 0.1 * k[i % n] / (1 + k[i % n] * k[i % n]);
  }
  freeAll(7, requests);
  return sum;
}

GRADIENT_CHECK(persistent_reductions, Double, reductions, In(double, N), Int(N))
#endif

/// A periodic ring, along whose edges all neighbourhood collectives move something.
static double neighbours(const double *x, int n) {
  int rank, size, periodic = 1, ones[2] = {1, 1}, twos[2] = {2, 2}, starts[2] = {2, 0};
  MPI_Comm ring;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Comm_rank(ring, &rank);
  double a[4], b[2], c[4], d[2], e[4], f[4], sum = 0;
  MPI_Aint places[2] = {sizeof(double), 0};
  MPI_Datatype types[2] = {D, D};
  MPI_Request requests[5];
  for (int i = 0; i < 4; i++)
    a[i] = e[i] = f[i] = x[i % n] * (1 + i + rank);
  MPIX_Neighbor_allgather_init(a, 1, D, b, 1, D, ring, MPI_INFO_NULL, &requests[0]);
  MPIX_Neighbor_allgatherv_init(a, 2, D, c, twos, starts, D, ring, MPI_INFO_NULL, &requests[1]);
  MPIX_Neighbor_alltoall_init(a, 1, D, d, 1, D, ring, MPI_INFO_NULL, &requests[2]);
  MPIX_Neighbor_alltoallv_init(a, twos, starts, D, e, twos, starts, D, ring, MPI_INFO_NULL,
                               &requests[3]);
  MPIX_Neighbor_alltoallw_init(a, ones, places, types, f, ones, places, types, ring, MPI_INFO_NULL,
                               &requests[4]);
  for (int s = 0; s < Steps; s++) {
    startAll(5, requests, s);
    finish(5, requests, rank);
    sum += weigh(b, 2, rank) + weigh(c, 4, rank) + weigh(d, 2, rank) + weigh(e, 4, rank) +
           weigh(f, 4, rank);
    for (int i = 0; i < 4; i++)
      a[i] = 0.1 * b[i % 2] * c[i] + 0.3 * e[i] * x[0] + 0.1 * (d[i % 2] + f[i]);
  }
  freeAll(5, requests);
  MPI_Comm_free(&ring);
  return sum;
}

GRADIENT_CHECK(persistent_neighbours, Double, neighbours, In(double, N), Int(N))

/// Made and freed again and again, and freed in another order than made; ranks have several open.
static double again(const double *x, int n) {
  int rank;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  double a[N], b[N], sum = 0;
  MPI_Request first, second;
  for (int i = 0; i < n; i++)
    a[i] = x[i];
  for (int s = 0; s < 2 * Steps; s++) {
    MPIX_Allreduce_init(a, b, n, D, MPI_SUM, comm, MPI_INFO_NULL, &first);
    MPI_Start(&first);
    MPI_Wait(&first, MPI_STATUS_IGNORE);
    MPIX_Bcast_init(a, n, D, 0, comm, MPI_INFO_NULL, &second);
    for (int i = 0; i < n; i++)
      a[i] = 0.2 * a[i] + 0.1 * b[i] * x[i];
    if (rank % 2)
      MPI_Request_free(&first);
    MPI_Start(&second);
    MPI_Wait(&second, MPI_STATUS_IGNORE);
    sum += weigh(a, n, rank) + weigh(b, n, rank);
    if (rank % 2 == 0)
      MPI_Request_free(&first);
    MPI_Request_free(&second);
  }
  return sum;
}

GRADIENT_CHECK(persistent_again, Double, again, In(double, N), Int(N))

#ifndef MPICH_VERSION // 4.0 frees a datatype of the program's own too often
static double chains(const double *x, int n) {
  MPI_Op chain;
  MPI_Datatype pair;
  MPI_Request requests[2];
  struct line mine[2], all[2] = {{1, 0}, {1, 0}};
  double given[2], got[2 * Most], sum = 0;
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op_create(compose, 0, &chain);
  MPI_Type_contiguous(2, D, &pair);
  MPI_Type_commit(&pair);
  MPIX_Scan_init(mine, all, 2, pair, chain, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPIX_Allgather_init(given, 1, pair, got, 1, pair, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < 2; i++) {
    mine[i].slope = x[i] * x[2];
    mine[i].offset = given[i] = x[i] + x[(i + 1) % n];
  }
  for (int s = 0; s < Steps; s++) {
    startAll(2, requests, s);
    finish(2, requests, s);
    for (int i = 0; i < 2; i++) {
      mine[i].slope = 0.5 * all[i].slope + x[i];
      mine[i].offset = all[i].offset * x[2] + 0.1 * got[2 * (size - 1) + i];
      given[i] = x[i] * all[i].offset;
    }
    sum += all[0].slope * all[1].offset + weigh(got, 2 * size, 0);
  }
  freeAll(2, requests);
  MPI_Type_free(&pair);
  MPI_Op_free(&chain);
  return sum;
}

GRADIENT_CHECK(persistent_chains, Double, chains, In(double, N), Int(N))
#endif

/// Between the even and the odd ranks.
static double groups(const double *x, int n) {
  int rank, size, there;
  MPI_Comm local, both;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1)
    return x[0] * x[1] * x[2];
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &both);
  MPI_Comm_remote_size(both, &there);
  double a[N], b[N], c[Most * N], sum = 0;
  MPI_Request requests[3];
  for (int i = 0; i < n; i++)
    a[i] = x[i] * (1 + rank);
  MPIX_Allreduce_init(a, b, n, D, MPI_SUM, both, MPI_INFO_NULL, &requests[0]);
  MPIX_Allgather_init(a, n, D, c, n, D, both, MPI_INFO_NULL, &requests[1]);
  MPIX_Barrier_init(both, MPI_INFO_NULL, &requests[2]);
  for (int s = 0; s < Steps; s++) {
    startAll(3, requests, s);
    finish(3, requests, rank);
    sum += weigh(b, n, rank) + weigh(c, n * there, rank);
    for (int i = 0; i < n; i++)
      a[i] = 0.2 * a[i] * x[i] + 0.1 * b[i] + 0.1 * c[i] * c[i];
  }
  freeAll(3, requests);
  MPI_Comm_free(&both);
  MPI_Comm_free(&local);
  return sum;
}

GRADIENT_CHECK(persistent_groups, Double, groups, In(double, N), Int(N))
