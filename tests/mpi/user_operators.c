// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of the program's own: one that commutes, one on structures that does not.
// Supports: the program's own operators (`Op_create`)
#include "GradientCheck.h"
#include "Lines.h"
#include <math.h>
#include <mpi.h>

static void logSum(void *in, void *inout, int *count, MPI_Datatype *type) {
  const double *a = in;
  double *b = inout;
  (void)type;
  for (int i = 0; i < *count; i++)
    b[i] = log(exp(a[i]) + exp(b[i]));
}

static double operators(const double *x, int n) {
  MPI_Op sum, chain;
  MPI_Datatype pair;
  MPI_Op_create(logSum, 1, &sum);
  MPI_Op_create(compose, 0, &chain);
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  double a[4], total = 0;
  MPI_Allreduce(x, a, n, MPI_DOUBLE, sum, MPI_COMM_WORLD);
  struct line mine[2], all[2] = {{1, 0}, {1, 0}}, before[2] = {{1, 0}, {1, 0}};
  for (int i = 0; i < 2; i++) {
    mine[i].slope = x[2 * i] * a[i];
    mine[i].offset = x[2 * i + 1] + a[i + 1];
  }
  MPI_Scan(mine, all, 2, pair, chain, MPI_COMM_WORLD);
  MPI_Exscan(mine, before, 2, pair, chain, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, mine, 2, pair, chain, MPI_COMM_WORLD);
  MPI_Op_free(&sum);
  MPI_Op_free(&chain);
  MPI_Type_free(&pair);
  for (int i = 0; i < 2; i++)
    total += all[i].offset * all[i].slope + before[i].offset * x[i] + before[i].slope +
             mine[i].offset * mine[i].slope;
  return total;
}

GRADIENT_CHECK(user_operators, Double, operators, In(double, 4), Int(4))
