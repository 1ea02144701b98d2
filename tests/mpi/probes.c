// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Receivers that ask what is coming: Probe, Iprobe, Mprobe, Improbe, any source and any tag.
// Supports: `Probe`, `Iprobe`, `Mprobe`, `Improbe`, `Mrecv`, `Imrecv`, wild cards
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

static double ask(const double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double mine[8], sum = 0;
  MPI_Barrier(MPI_COMM_WORLD); // nothing of an earlier call is on the way
  for (int i = 0; i < n; i++)
    mine[i] = x[i] * x[i];
  if (rank != 0) {
    MPI_Send(mine, 1 + rank % n, MPI_DOUBLE, 0, 10 + rank, MPI_COMM_WORLD);
    MPI_Send(mine + 1, 1 + rank % (n - 1), MPI_DOUBLE, 0, 50, MPI_COMM_WORLD);
    MPI_Send(mine, n, MPI_DOUBLE, 0, 60, MPI_COMM_WORLD);
    MPI_Send(mine + 2, 2, MPI_DOUBLE, 0, 70, MPI_COMM_WORLD);
    return mine[0];
  }
  for (int r = 1; r < size; r++) {
    MPI_Status status;
    int count;
    MPI_Probe(r, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    double *data = malloc(count * sizeof *data);
    MPI_Recv(data, count, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
    for (int i = 0; i < count; i++)
      sum += (status.MPI_SOURCE + i) * data[i] * data[i];
    free(data);
  }
  for (int r = 1; r < size; r++) {
    MPI_Status status;
    int count, there = 0;
    while (!there)
      MPI_Iprobe(MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &there, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    double *data = malloc(count * sizeof *data);
    MPI_Recv(data, count, MPI_DOUBLE, status.MPI_SOURCE, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
      sum *= 1 + 0.1 * data[i];
    free(data);
  }
  for (int r = 1; r < size; r++) {
    MPI_Status status;
    MPI_Message message;
    int count;
    double data[8];
    MPI_Mprobe(MPI_ANY_SOURCE, 60, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    MPI_Mrecv(data, count, MPI_DOUBLE, &message, &status);
    for (int i = 0; i < count; i++)
      sum += mine[i] * data[i] * data[0] * status.MPI_SOURCE;
  }
  for (int r = 1; r < size; r++) {
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int there = 0;
    double data[2];
    while (!there)
      MPI_Improbe(r, 70, MPI_COMM_WORLD, &there, &message, &status);
    MPI_Imrecv(data, 2, MPI_DOUBLE, &message, &request);
    MPI_Wait(&request, &status);
    sum += data[0] * data[1] * r;
  }
  return sum;
}

GRADIENT_CHECK(probes, Double, ask, In(double, 4), Int(4))
