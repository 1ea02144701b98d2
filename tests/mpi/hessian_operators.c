// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hessian-vector products through operators of the program's own, which need not commute, of
// numbers and of structures, and through products between two groups.
// Supports: derivatives of derivatives: operators of one's own, products between groups
#include "Hessian.h"
#include "HessianRanks.h"

#include <math.h>
#include <mpi.h>
#include <stddef.h>

/// Of matrices.
static void matrix_product(void *in, void *inout, int *count, MPI_Datatype *type) {
  (void)type;
  double *a = in, *b = inout;
  for (int k = 0; k < *count; ++k, a += 4, b += 4) {
    for (int j = 0; j < 2; ++j) {
      const double upper = a[0] * b[j] + a[1] * b[2 + j], lower = a[2] * b[j] + a[3] * b[2 + j];
      b[j] = upper;
      b[2 + j] = lower;
    }
  }
}

static double hessian_matrices(const double *x) {
  int ranks, rank = rankOf(&ranks);
  MPI_Op product;
  MPI_Datatype matrix;
  MPI_Request request;
  MPI_Op_create(matrix_product, 0, &product);
  MPI_Type_contiguous(4, MPI_DOUBLE, &matrix);
  MPI_Type_commit(&matrix);
  double mine[8], all[8], upto[8], before[8] = {1, 0, 0, 1, 1, 0, 0, 1}, at_root[8] = {0};
  for (int i = 0; i < 8; ++i)
    mine[i] = 0.5 * x[i % n] * x[(i + rank) % n] + 0.1 * i;
  MPI_Allreduce(mine, all, 2, matrix, product, MPI_COMM_WORLD);
  MPI_Iscan(mine, upto, 2, matrix, product, MPI_COMM_WORLD, &request);
  MPI_Exscan(mine, before, 2, matrix, product, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&matrix);
  MPI_Type_contiguous(4, MPI_DOUBLE, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Reduce(upto, at_root, 2, matrix, product, ranks - 1, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, mine, 1, matrix, product, MPI_COMM_WORLD);
  MPI_Type_free(&matrix);
  MPI_Op_free(&product);
  double sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += 0.1 * all[i] * upto[7 - i] + sin(before[i]) + 0.01 * at_root[i] * mine[i / 2];
  return sum;
}
HESSIAN_FORWARD(hessian_matrices)

struct weighted {
  int segment;
  double mean, weight;
};

/// Means with weights, anew where a segment begins.
static void means(void *in, void *inout, int *count, MPI_Datatype *type) {
  (void)type;
  const struct weighted *from = in;
  struct weighted *to = inout;
  for (int i = 0; i < *count; ++i)
    if (from[i].segment == to[i].segment) {
      const double weight = from[i].weight + to[i].weight;
      to[i].mean = (from[i].mean * from[i].weight + to[i].mean * to[i].weight) / weight;
      to[i].weight = weight;
    }
}

static double hessian_segments(const double *x) {
  int ranks, rank = rankOf(&ranks);
  const int lengths[3] = {1, 1, 1};
  const MPI_Aint places[3] = {offsetof(struct weighted, segment), offsetof(struct weighted, mean),
                              offsetof(struct weighted, weight)};
  const MPI_Datatype kinds[3] = {MPI_INT, MPI_DOUBLE, MPI_DOUBLE};
  struct weighted mine[2] = {{rank / 2, x[0] * x[1], x[2]}, {0, sin(x[3]), x[4] * x[5]}}, upto[2];
  MPI_Op op;
  MPI_Datatype type;
  MPI_Type_create_struct(3, lengths, places, kinds, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(means, 0, &op);
  MPI_Scan(mine, upto, 2, type, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  return upto[0].mean * upto[1].mean + upto[1].weight * upto[0].weight * x[1];
}
HESSIAN_FORWARD(hessian_segments)

/// Each of two groups gets the other one's products.
static double hessian_groups(const double *x) {
  int ranks, rank = rankOf(&ranks);
  if (ranks < 2)
    return x[0] * x[1] * x[2];
  MPI_Comm half, other;
  MPI_Op product;
  MPI_Datatype matrix;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 4, &other);
  MPI_Op_create(matrix_product, 0, &product);
  MPI_Type_contiguous(4, MPI_DOUBLE, &matrix);
  MPI_Type_commit(&matrix);
  double mine[4], theirs[4], turned[4] = {0}, root[2] = {0};
  for (int i = 0; i < 4; ++i)
    mine[i] = 0.7 * x[i] * x[i + 1] + 0.1 * rank;
  MPI_Allreduce(mine, theirs, 4, MPI_DOUBLE, MPI_PROD, other);
  MPI_Allreduce(mine, turned, 1, matrix, product, other);
  MPI_Reduce(theirs, root, 2, MPI_DOUBLE, MPI_PROD,
             rank % 2    ? 0
             : rank == 0 ? MPI_ROOT
                         : MPI_PROC_NULL,
             other);
  MPI_Type_free(&matrix);
  MPI_Op_free(&product);
  MPI_Comm_free(&other);
  MPI_Comm_free(&half);
  return theirs[0] * theirs[1] * x[5] + sin(theirs[2]) + turned[0] * turned[3] + root[0] * root[1];
}
HESSIAN_FORWARD(hessian_groups)
