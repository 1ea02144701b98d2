// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Communicators that live inside the function that is differentiated, made in all ways.
// Supports: communicators and grids created in the function
#include "GradientCheck.h"
#include <mpi.h>
#include <stddef.h>

static double rowsAndColumns(const double *x, int n) {
  int rank, size, dims[2] = {0, 0}, periods[2] = {1, 0}, keep[2] = {1, 0}, source, dest;
  MPI_Comm dup, parity, grid, line, few = MPI_COMM_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double a[4], b[4] = {1, 2, 3, 4}, sum = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Allreduce(x, a, n, MPI_DOUBLE, MPI_SUM, dup);
  MPI_Comm_split(dup, rank % 2, -rank, &parity);
  int where, among;
  MPI_Comm_rank(parity, &where);
  MPI_Comm_size(parity, &among);
  for (int i = 0; i < n; i++)
    a[i] *= x[i];
  MPI_Sendrecv(a, n, MPI_DOUBLE, (where + 1) % among, 3, b, n, MPI_DOUBLE,
               (where + among - 1) % among, 3, parity, MPI_STATUS_IGNORE);
  MPI_Comm_free(&parity);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(dup, 2, dims, periods, 0, &grid);
  for (int d = 0; d < 2; d++) {
    MPI_Cart_shift(grid, d, 1, &source, &dest);
    MPI_Sendrecv(b, n, MPI_DOUBLE, dest, d, a, n, MPI_DOUBLE, source, d, grid, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
      b[i] = 0.5 * b[i] + a[i] * x[n - 1 - i];
  }
  MPI_Cart_sub(grid, keep, &line);
  MPI_Bcast(b, n - 1, MPI_DOUBLE, 0, line);
  MPI_Comm_free(&line);
  MPI_Comm_free(&grid);
  MPI_Comm_split(dup, rank < 2 ? 0 : MPI_UNDEFINED, rank, &few);
  if (few != MPI_COMM_NULL) {
    MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_DOUBLE, MPI_MAX, few);
    MPI_Comm_free(&few);
  }
  MPI_Comm_free(&dup);
  for (int i = 0; i < n; i++)
    sum += b[i] * a[i] * (i + 1);
  return sum;
}

// Messages of a communicator that is gone when they are reversed.
static double around(const double *x, int n, MPI_Comm comm) {
  int rank, size;
  double b[8], sum = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Sendrecv(x, n, MPI_DOUBLE, (rank + 1) % size, 5, b, n, MPI_DOUBLE, (rank + size - 1) % size,
               5, comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++)
    sum += b[i] * x[n - 1 - i];
  return sum;
}

static double total(double value, MPI_Comm comm) {
  double all;
  MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  return all * value;
}

static double duplicatedLater(const double *x, int n) {
  MPI_Comm comm;
  MPI_Request request;
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    const double v = x[k] * x[0];
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += around(x, n, comm) * v;
    if (k)
      sum += total(sum, comm);
    MPI_Comm_free(&comm);
  }
  return sum;
}

static double groups(const double *x, int n) {
  MPI_Comm comm, few;
  MPI_Info info;
  MPI_Group all, same;
  int rank, size, count = 0, ranks[16];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Info_create(&info);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  MPI_Info_free(&info);
  double sum = around(x, n, comm);
  MPI_Comm_group(comm, &all);
  for (int i = rank % 2; i < size && count < 16; i += 2)
    ranks[count++] = i;
  MPI_Group_incl(all, count, ranks, &same);
  MPI_Comm_create_group(comm, same, 7, &few);
  MPI_Comm_free(&comm);
  sum += around(x, n, few) * total(x[0], few);
  MPI_Comm_free(&few);
  MPI_Group_free(&all);
  MPI_Group_free(&same);
  return sum;
}

// Whose attributes the program copies: as often as without derivatives.
static int copies, deletions;

static int copied(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)key, (void)extra;
  copies++;
  *(void **)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  deletions++;
  return MPI_SUCCESS;
}

static double attributes(const double *x, int n) {
  static int value = 3;
  int key;
  MPI_Comm first, second;
  MPI_Comm_create_keyval(copied, deleted, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_set_attr(first, key, &value);
  copies = deletions = 0;
  MPI_Comm_dup(first, &second);
  double sum = around(x, n, first);
  MPI_Comm_free(&first);
  sum += around(x, n, second) * total(x[1], second);
  MPI_Comm_free(&second);
  MPI_Comm_free_keyval(&key);
  return sum * (copies + 10 * deletions);
}

GRADIENT_CHECK(communicators, Double, rowsAndColumns, In(double, 4), Int(4))
GRADIENT_CHECK(communicators_later, Double, duplicatedLater, In(double, 4), Int(4))
GRADIENT_CHECK(communicators_groups, Double, groups, In(double, 4), Int(4))
GRADIENT_CHECK(communicators_attributes, Double, attributes, In(double, 4), Int(4))
