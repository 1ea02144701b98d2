// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers as MPI_CHAR that go through ranks whose function has no numbers, and looks at no byte:
// they are received and sent on. What some rank knows to be numbers is bytes for all of them.
// Supports: `MPI_CHAR` of floating-point data
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

enum { N = 4 };

/// Of the odd ranks.
static void relay(int count) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char here[N * sizeof(double)], *there = malloc(count);
  MPI_Recv(here, count, MPI_CHAR, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(here, count, MPI_CHAR, rank - 1, 2, MPI_COMM_WORLD);
  MPI_Recv(there, count, MPI_BYTE, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(there, count, MPI_CHAR, rank - 1, 4, MPI_COMM_WORLD);
  free(there);
}

/// Of the even ones.
static double compute(const double *x) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double y[N], z[N] = {0}, sum = 0;
  for (int i = 0; i < N; i++)
    y[i] = x[i] * x[(i + 1) % N];
  if (rank + 1 < size) {
    MPI_Send(y, sizeof y, MPI_CHAR, rank + 1, 1, MPI_COMM_WORLD);
    MPI_Recv(z, sizeof z, MPI_CHAR, rank + 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++)
      y[i] = z[i] * x[i];
    MPI_Send(y, sizeof y, MPI_BYTE, rank + 1, 3, MPI_COMM_WORLD);
    MPI_Recv(z, sizeof z, MPI_CHAR, rank + 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < N; i++)
    sum += (i + 1) * y[i] * z[i];
  return sum;
}

double __enzyme_fwddiff_compute(void *, ...);
void __enzyme_autodiff_compute(void *, ...);
void __enzyme_fwddiff_relay(void *, ...);
void __enzyme_autodiff_relay(void *, ...);

static int relays(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank % 2;
}

static double primal(void *const *values) {
  if (!relays())
    return compute((const double *)values[0]);
  relay(N * sizeof(double));
  return 0;
}

static double tangent(void *const *values, void *const *shadows) {
  if (!relays())
    return __enzyme_fwddiff_compute((void *)compute, enzyme_dup, values[0], shadows[0]);
  __enzyme_fwddiff_relay((void *)relay, enzyme_const, (int)(N * sizeof(double)));
  return 0;
}

static void adjoint(void *const *values, void *const *shadows) {
  if (!relays())
    __enzyme_autodiff_compute((void *)compute, enzyme_dup, values[0], shadows[0]);
  else
    __enzyme_autodiff_relay((void *)relay, enzyme_const, (int)(N * sizeof(double)));
}

GRADIENT_CHECK_CUSTOM(relayed_characters, Double, primal, tangent, adjoint, In(double, N))

/// Text that the function passes on and prints is no concern of derivatives.
static double titled(const double *x, int n) {
  int rank, size;
  char title[16] = "title", copy[16];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Bcast(title, 16, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Sendrecv(title, 16, MPI_CHAR, (rank + 1) % size, 1, copy, 16, MPI_CHAR,
               (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Bcast(copy, 16, MPI_CHAR, size - 1, MPI_COMM_WORLD);
  double sum = atoi(copy) + 1;
  for (int i = 0; i < n; i++)
    sum *= x[i];
  return sum;
}

GRADIENT_CHECK(relayed_titles, Double, titled, In(double, N), Int(N))
