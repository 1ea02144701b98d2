// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hessian-vector products through products of all kinds: prefixes, complex numbers, started now and
// completed later, in place, with zeros among the factors.
// Supports: derivatives of derivatives: tangents of adjoints, tangents of tangents
#include "Hessian.h"
#include "HessianRanks.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>

static double hessian_prefixes(const double *x) {
  int ranks, rank = rankOf(&ranks);
  double mine[3] = {x[0] * x[1], sin(x[2]) + 0.5, x[3]}, upto[3], before[3] = {1, 1, 1};
  if (rank == 1)
    mine[2] = 0;
  MPI_Scan(mine, upto, 3, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  MPI_Exscan(mine, before, 3, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  if (rank == 0)
    before[0] = before[1] = before[2] = 1;
  double again[2] = {upto[0] * x[4], before[1]};
  MPI_Scan(MPI_IN_PLACE, again, 2, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  return upto[0] * before[1] + upto[2] * x[5] + before[2] * before[0] * x[1] + again[0] * again[1];
}
HESSIAN_FORWARD(hessian_prefixes)

static double hessian_complex_products(const double *x) {
  double a[4] = {x[0], x[1] * x[2], cos(x[3]), x[4] * x[4]}, b[4], c[4] = {0, 0, 0, 0};
  MPI_Allreduce(a, b, 2, MPI_C_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
  for (int i = 0; i < 4; ++i)
    c[i] = b[i] * x[i] + a[3 - i];
  MPI_Allreduce(MPI_IN_PLACE, c, 2, MPI_C_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
  double d[2] = {0, 0}, e[2];
  MPI_Reduce(c, d, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, 0, MPI_COMM_WORLD);
  MPI_Scan(a, e, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
  return b[0] * b[3] + c[1] * x[5] + 0.01 * d[0] * d[1] + e[0] * e[1] + c[2];
}
HESSIAN_FORWARD(hessian_complex_products)

static double hessian_later_products(const double *x) {
  int ranks, rank = rankOf(&ranks);
  MPI_Request requests[4];
  double mine[2] = {x[0] * x[1], x[2]}, all[2], upto[2], at_root[2] = {0, 0}, block = 0;
  double *parts = malloc((size_t)ranks * sizeof(double));
  for (int i = 0; i < ranks; ++i)
    parts[i] = sin(x[i % n]) + x[0];
  if (rank == ranks - 1)
    mine[1] *= 0;
  MPI_Iallreduce(mine, all, 2, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD, requests);
  MPI_Iscan(mine, upto, 2, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD, requests + 1);
  MPI_Ireduce(mine, at_root, 2, MPI_DOUBLE, MPI_PROD, ranks - 1, MPI_COMM_WORLD, requests + 2);
  MPI_Ireduce_scatter_block(parts, &block, 1, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD, requests + 3);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[(i + 2) % n];
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  free(parts);
  double again[2] = {all[0] + x[3], upto[0] * x[4]};
  MPI_Iallreduce(MPI_IN_PLACE, again, 2, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD, requests);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
  return sum * all[0] + all[1] * x[5] + upto[1] * upto[0] + at_root[0] * x[1] + block * block +
         again[0] * again[1];
}
HESSIAN_FORWARD(hessian_later_products)

/// Extrema of prefixes have owners, which stay; inactive factors have no tangents.
static double hessian_mixed_products(const double *x) {
  int ranks, rank = rankOf(&ranks);
  double fixed[2] = {1.5 + rank, 0.5}, all[2], most[2], mine[2] = {x[0] * x[1], x[2] + rank};
  MPI_Request request;
  MPI_Iallreduce(fixed, all, 2, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Scan(mine, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  double both[2] = {rank % 2 ? 2 : x[3] * x[4], most[1]};
  MPI_Scan(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  return all[1] * most[0] * most[1] + both[0] * both[1] * x[5];
}
HESSIAN_FORWARD(hessian_mixed_products)
