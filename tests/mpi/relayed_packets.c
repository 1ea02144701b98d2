// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packets of numbers as MPI_CHAR that go through ranks whose function has no numbers, and looks at
// the header of integers alone.
// Supports: packets of numbers behind a header, passed on by other ranks
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4 };

static int rank_here(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

struct packet {
  int length, hops;
  char data[N * sizeof(double)];
};

static void relay_packets(int rank) {
  struct packet here, *there = malloc(sizeof *there);
  MPI_Recv(&here, sizeof here, MPI_CHAR, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  here.hops++;
  MPI_Send(&here, 8 + here.length, MPI_CHAR, rank - 1, 2, MPI_COMM_WORLD);
  MPI_Recv(there, sizeof *there, MPI_CHAR, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (there->length > 0)
    MPI_Send(there, 8 + there->length, MPI_CHAR, rank - 1, 2, MPI_COMM_WORLD);
  free(there);
}

static double through_relay(const double *x, int rank) {
  struct packet p = {N * sizeof(double), 0, {0}};
  double y[N], sum = 0;
  for (int times = 0; times < 2; times++) {
    memcpy(p.data, x, sizeof p.data);
    MPI_Send(&p, sizeof p, MPI_CHAR, rank + 1, 1, MPI_COMM_WORLD);
    MPI_Recv(&p, sizeof p, MPI_CHAR, rank + 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(y, p.data, sizeof p.data);
    for (int i = 0; i < N; i++)
      sum += (i + times + 1) * y[i] * x[i];
  }
  return sum;
}

static double packets(const double *x) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return rank + 1 < size ? through_relay(x, rank) : x[0];
}

double __enzyme_fwddiff_packets(void *, ...);
void __enzyme_autodiff_packets(void *, ...);
void __enzyme_fwddiff_relay_packets(void *, ...);
void __enzyme_autodiff_relay_packets(void *, ...);

static double primal_packets(void *const *values) {
  if (rank_here() % 2 == 0)
    return packets((const double *)values[0]);
  relay_packets(rank_here());
  return 0;
}

static double tangent_packets(void *const *values, void *const *shadows) {
  if (rank_here() % 2 == 0)
    return __enzyme_fwddiff_packets((void *)packets, enzyme_dup, values[0], shadows[0]);
  __enzyme_fwddiff_relay_packets((void *)relay_packets, enzyme_const, rank_here());
  return 0;
}

static void adjoint_packets(void *const *values, void *const *shadows) {
  if (rank_here() % 2 == 0)
    __enzyme_autodiff_packets((void *)packets, enzyme_dup, values[0], shadows[0]);
  else
    __enzyme_autodiff_relay_packets((void *)relay_packets, enzyme_const, rank_here());
}

GRADIENT_CHECK_CUSTOM(relayed_packets, Double, primal_packets, tangent_packets, adjoint_packets,
                      In(double, N))
