// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Supports: derivatives of derivatives through persistent requests and collectives, matched probes, nonblocking collectives, packed values and bytes
//
// Hessian-vector products of functions that leave communication under way.
#include "Hessian.h"
#include "HessianRanks.h"
#include "PersistentCollectives.h"

#include <math.h>
#include <mpi.h>

static double hessian_persistent(const double *x) {
  int ranks, rank = rankOf(&ranks);
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = (rank + 1) % ranks;
  double u[n + 2], next[n + 2], extra[2] = {0, 0};
  MPI_Request requests[4], one;
  u[0] = u[n + 1] = 0;
  for (int i = 0; i < n; ++i)
    u[i + 1] = x[i] * x[(i + 1) % n];
  MPI_Recv_init(u, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, requests);
  MPI_Recv_init(u + n + 1, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, requests + 1);
  MPI_Send_init(u + 1, 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, requests + 2);
  MPI_Ssend_init(u + n, 1, MPI_DOUBLE, rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, 0,
                 MPI_COMM_WORLD, requests + 3);
  for (int t = 0; t < 3; ++t) {
    MPI_Startall(4, requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= n; ++i)
      next[i] = u[i] + 0.1 * u[i] * (u[i - 1] - u[i + 1]);
    for (int i = 1; i <= n; ++i)
      u[i] = next[i];
  }
  for (int i = 0; i < 4; ++i)
    MPI_Request_free(&requests[i]);
  MPI_Recv_init(extra, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &one);
  MPI_Start(&one);
  MPI_Send(u + 2, 1 + rank % 2, MPI_DOUBLE, right, 5, MPI_COMM_WORLD);
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  MPI_Request_free(&one);
  double sum = 0;
  for (int i = 1; i <= n; ++i)
    sum += u[i] * u[i];
  return sum * (extra[0] + extra[1] * x[0]);
}
HESSIAN_FORWARD(hessian_persistent)

#ifndef MPICH_VERSION // as in persistent_collectives.c
static double hessian_persistent_collectives(const double *x) {
  int ranks, rank = rankOf(&ranks);
  double a[n], sums[n], products[2], least = 0, all[2 * 16], sum = 0;
  MPI_Request requests[5];
  for (int i = 0; i < n; ++i)
    a[i] = x[i] * x[(i + 1) % n];
  MPIX_Allreduce_init(a, sums, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests);
  MPIX_Allreduce_init(a, products, 2, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD, MPI_INFO_NULL,
                      requests + 1);
  MPIX_Reduce_init(a + 2, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                   requests + 2);
  MPIX_Allgather_init(a + 1, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, MPI_COMM_WORLD, MPI_INFO_NULL,
                      requests + 3);
  MPIX_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, requests + 4);
  for (int t = 0; t < 3; ++t) {
    MPI_Startall(5, requests);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; ++i)
      a[i] = 0.3 * sums[i] * x[i] + 0.1 * products[i % 2] * all[(i + rank) % (2 * ranks)];
    sum += least * x[0] + all[0] * all[1];
  }
  for (int i = 0; i < 5; ++i)
    MPI_Request_free(&requests[i]);
  for (int i = 0; i < n; ++i)
    sum += a[i] * a[i];
  return sum;
}
HESSIAN_FORWARD(hessian_persistent_collectives)
#endif

static double hessian_matched(const double *x) {
  int ranks, rank = rankOf(&ranks), count, found = 0;
  double out[3] = {x[0] * x[1], sin(x[2]), x[3]}, in[3] = {0, 0, 0}, back = 0;
  MPI_Message message;
  MPI_Request sent, got;
  MPI_Status status;
  MPI_Isend(out, 2 + rank % 2, MPI_DOUBLE, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &sent);
  MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  MPI_Mrecv(in, count, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  double product = in[0] * in[1] + in[2] * in[0];
  MPI_Isend(&product, 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 4, MPI_COMM_WORLD, &sent);
  while (!found)
    MPI_Improbe((rank + 1) % ranks, 4, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(&back, 1, MPI_DOUBLE, &message, &got);
  MPI_Wait(&got, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  return product * back * x[4];
}
HESSIAN_FORWARD(hessian_matched)

// Completed in another order than started, different on every rank.
static double hessian_sums_later(const double *x) {
  int ranks, rank = rankOf(&ranks), counts[16], mine = 1 + rank % 2;
  double give[8] = {x[0] * x[1], x[2], x[3] * x[3], x[4]}, all[4], prefix = 0, before = 0, most = 0,
         least[2], blocks[32], block[2] = {0, 0}, root = 0;
  MPI_Request r[8];
  MPI_Iallreduce(give, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
  MPI_Iscan(give, &prefix, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[1]);
  MPI_Iexscan(give + 1, &before, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[2]);
  MPI_Iallreduce(give + 2, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &r[3]);
  MPI_Ireduce(give, &root, 1, MPI_DOUBLE, MPI_SUM, ranks - 1, MPI_COMM_WORLD, &r[4]);
  for (int i = 0; i < 2 * ranks; ++i)
    blocks[i] = x[i % n] * x[(i + rank) % n];
  for (int i = 0; i < ranks; ++i)
    counts[i] = 1 + i % 2;
  MPI_Ireduce_scatter(blocks, block, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[5]);
  MPI_Ibarrier(MPI_COMM_WORLD, &r[6]);
  least[0] = x[5] * x[0], least[1] = x[1];
  MPI_Iallreduce(MPI_IN_PLACE, least, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD, &r[7]);
  for (int i = 0; i < 8; ++i)
    MPI_Wait(&r[rank % 2 ? 7 - i : i], MPI_STATUS_IGNORE);
  return all[0] * all[1] + prefix * before * all[3] + most * least[0] * least[1] +
         block[0] * block[mine - 1] + root * root * x[1];
}
HESSIAN_FORWARD(hessian_sums_later)

static double hessian_moved_later(const double *x) {
  int ranks, rank = rankOf(&ranks), done = 0, ring[1], periods[1] = {1};
  double out[16], in[16], all[16], parts[16] = {0}, one, shared[2] = {0, 0}, edges[2], pair[2];
  const double constant[2] = {1.5, 2.5};
  MPI_Comm grid;
  ring[0] = ranks;
  MPI_Cart_create(MPI_COMM_WORLD, 1, ring, periods, 0, &grid);
  MPI_Request r[7];
  for (int i = 0; i < ranks; ++i)
    out[i] = x[i % n] * x[(i + 1) % n];
  pair[0] = out[0], pair[1] = x[3];
  MPI_Ialltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, MPI_COMM_WORLD, &r[0]);
  MPI_Iallgather(pair, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD, &r[1]);
  MPI_Igather(pair + 1, 1, MPI_DOUBLE, parts, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r[2]);
  MPI_Iscatter(out, 1, MPI_DOUBLE, &one, 1, MPI_DOUBLE, ranks - 1, MPI_COMM_WORLD, &r[3]);
  MPI_Ineighbor_alltoall(pair, 1, MPI_DOUBLE, edges, 1, MPI_DOUBLE, grid, &r[4]);
  if (rank == 0)
    shared[0] = x[0] * x[1], shared[1] = x[2];
  MPI_Ibcast(shared, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r[5]);
  while (!done)
    MPI_Testall(6, r, &done, MPI_STATUSES_IGNORE);
  double sum = in[0] * in[ranks - 1] + all[0] * all[ranks - 1] * x[1] + parts[0] * parts[0];
  double mixed[2] = {shared[0], shared[1]};
  MPI_Ibcast(rank == 0 ? (double *)constant : mixed, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r[6]);
  MPI_Wait(&r[6], MPI_STATUS_IGNORE);
  MPI_Comm_free(&grid);
  return sum + one * edges[0] * edges[1] + shared[0] * shared[1] * x[5] + mixed[0] * x[4] * x[4];
}
HESSIAN_FORWARD(hessian_moved_later)

/// Floats of two kinds and an integer, packed by hand and sent as what is packed, as bytes, and as
/// characters.
static double hessian_packed(const double *x) {
  int ranks, rank = rankOf(&ranks), at = 0, count = 2 + rank % 2;
  struct {
    double a, b;
    int k;
    float c[3];
  } out = {x[0] * x[1], x[2], 3, {(float)1.5, (float)0.5, (float)2.5}}, in = {0, 0, 0, {0}};
  char packed[200], arrived[200];
  double values[3] = {x[0] * x[3], x[4] * x[5], x[1]}, got[3] = {0, 0, 0};
  MPI_Pack(&count, 1, MPI_INT, packed, sizeof packed, &at, MPI_COMM_WORLD);
  MPI_Pack(values, count, MPI_DOUBLE, packed, sizeof packed, &at, MPI_COMM_WORLD);
  MPI_Pack(&out.a, 2, MPI_DOUBLE, packed, sizeof packed, &at, MPI_COMM_WORLD);
  MPI_Sendrecv(packed, at, MPI_PACKED, (rank + 1) % ranks, 6, arrived, sizeof arrived, MPI_PACKED,
               (rank + ranks - 1) % ranks, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  at = 0;
  MPI_Unpack(arrived, sizeof arrived, &at, &count, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(arrived, sizeof arrived, &at, got, count, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Unpack(arrived, sizeof arrived, &at, &in.a, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  double sum = got[0] * got[1] * (1 + got[2]) + in.a * in.b * x[0];
  MPI_Sendrecv(&out, sizeof out, MPI_BYTE, (rank + 1) % ranks, 7, &in, sizeof in, MPI_BYTE,
               (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(values, sizeof values, MPI_CHAR, (rank + 1) % ranks, 8,
                       (rank + ranks - 1) % ranks, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return sum + in.k * in.a * in.a * in.b * in.c[0] + values[0] * values[1] * values[2];
}
HESSIAN_FORWARD(hessian_packed)
