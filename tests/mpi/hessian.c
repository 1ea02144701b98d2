// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Supports: derivatives of derivatives: tangents of adjoints, tangents of tangents
//
// Hessian-vector products of functions that communicate. Every rank has numbers of its own.
#include "Hessian.h"
#include "HessianRanks.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>

static double hessian_sums(const double *x) {
  double mine = 0, all, prefix, blocks[2] = {0, 0};
  for (int i = 0; i < n; ++i)
    mine += x[i] * sin(x[(i + 1) % n]);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(&mine, &prefix, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double most[2] = {x[0] * x[1], x[2] * all}, found[2];
  MPI_Allreduce(most, found, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  blocks[0] = all * found[0];
  MPI_Allreduce(MPI_IN_PLACE, blocks, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce(&mine, blocks + 1, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  return all * prefix + found[1] * found[1] + blocks[0] * x[3] + blocks[1] * blocks[1];
}
HESSIAN_FORWARD(hessian_sums)

static double hessian_products(const double *x) {
  double mine[3] = {x[0] * x[1], 0 * x[2], sin(x[3] * x[4])}, all[3], block = 0, last[2] = {0, 0};
  int ranks, rank = rankOf(&ranks);
  if (rank == ranks - 1)
    mine[1] = x[5]; // zeros of the others
  MPI_Allreduce(mine, all, 3, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  double *parts = malloc((size_t)ranks * sizeof(double));
  for (int i = 0; i < ranks; ++i)
    parts[i] = x[i % n] * all[0] + all[2];
  MPI_Reduce_scatter_block(parts, &block, 1, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  free(parts);
  MPI_Reduce(mine, last, 2, MPI_DOUBLE, MPI_PROD, ranks - 1, MPI_COMM_WORLD);
  mine[2] = block * x[0];
  MPI_Allreduce(MPI_IN_PLACE, mine, 3, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  return all[0] * x[1] + all[1] * all[2] + block * block + last[0] * last[0] + last[1] +
         mine[2] * x[2];
}
HESSIAN_FORWARD(hessian_products)

static double hessian_halos(const double *x) {
  int ranks, rank = rankOf(&ranks);
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL,
            right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  double *u = malloc((n + 2) * sizeof(double));
  u[0] = u[n + 1] = 0;
  for (int i = 0; i < n; ++i)
    u[i + 1] = x[i] * x[(i + 1) % n];
  for (int t = 0; t < 3; ++t) {
    MPI_Request requests[4];
    MPI_Irecv(u, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, requests);
    MPI_Irecv(u + n + 1, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, requests + 1);
    MPI_Isend(u + 1, 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, requests + 2);
    MPI_Isend(u + n, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, requests + 3);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    double *next = malloc((n + 2) * sizeof(double));
    next[0] = next[n + 1] = 0;
    for (int i = 1; i <= n; ++i)
      next[i] = u[i] + 0.1 * u[i] * (u[i - 1] - u[i + 1]);
    free(u);
    u = next;
  }
  double sum = 0, other;
  for (int i = 1; i <= n; ++i)
    sum += u[i] * u[i];
  MPI_Sendrecv(u + 2, 1, MPI_DOUBLE, (rank + 1) % ranks, 3, &other, 1, MPI_DOUBLE,
               (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(u);
  return sum * other;
}
HESSIAN_FORWARD(hessian_halos)

// The root does not know who comes next, nor how much.
static double hessian_workers(const double *x) {
  int ranks, rank = rankOf(&ranks);
  double sum = x[4] * x[5], parts[16] = {0}, shared[2];
  if (rank == 0) {
    for (int k = 1; k < ranks; ++k) {
      double task[3];
      MPI_Status status;
      int count;
      MPI_Recv(task, 3, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_DOUBLE, &count);
      for (int i = 0; i < count; ++i)
        sum += task[i] * task[(i + 1) % count] * x[i] * status.MPI_SOURCE;
    }
  } else {
    const double task[2] = {x[0] * x[1], sin(x[2])};
    MPI_Send(task, 2, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
    sum = task[0] * x[3];
  }
  MPI_Gather(&sum, 1, MPI_DOUBLE, parts, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  shared[0] = shared[1] = x[1];
  for (int i = 0; i < ranks && rank == 0; ++i)
    shared[0] += parts[i] * parts[i];
  MPI_Bcast(shared, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return shared[0] * shared[1] * x[2];
}
HESSIAN_FORWARD(hessian_workers)

// What moves, and what stays constant on some of the ranks.
static double hessian_moved(const double *x) {
  int ranks, rank = rankOf(&ranks);
  double out[16], in[16], all[32], one, weights[2] = {1.5, 0.5 + rank}, mixed[2];
  for (int i = 0; i < ranks; ++i)
    out[i] = x[i % n] * x[(i + 1) % n];
  MPI_Alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Allgather(in, 2 < ranks ? 2 : 1, MPI_DOUBLE, all, 2 < ranks ? 2 : 1, MPI_DOUBLE,
                MPI_COMM_WORLD);
  MPI_Scatter(in, 1, MPI_DOUBLE, &one, 1, MPI_DOUBLE, ranks - 1, MPI_COMM_WORLD);
  const double *sent = rank % 2 ? weights : x;
  MPI_Sendrecv(sent, 2, MPI_DOUBLE, (rank + 1) % ranks, 0, mixed, 2, MPI_DOUBLE,
               (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return all[0] * all[ranks - 1] * one + mixed[0] * mixed[1] * x[3] * x[4];
}
HESSIAN_FORWARD(hessian_moved)
