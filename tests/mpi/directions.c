// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adjoints in three directions: each communicates as one alone, forwards and backwards, and the
// second and third one are multiples of the first.
// Supports: adjoints in several directions
#include "Neighbour.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>

enum { n = 6 };

#include "Directions.h"

/// Steps with a halo, whose sum is scaled over all ranks. What the caller has is sent, and written.
static void directions_steps(double *x, double *y) {
  double *u = calloc(n + 2, sizeof *u);
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < n; i++)
      u[i + 1] = x[i];
    MPI_Request open[4];
    MPI_Irecv(&u[0], 1, MPI_DOUBLE, neighbour(-1), 0, MPI_COMM_WORLD, &open[0]);
    MPI_Irecv(&u[n + 1], 1, MPI_DOUBLE, neighbour(1), 1, MPI_COMM_WORLD, &open[1]);
    MPI_Isend(&x[n - 1], 1, MPI_DOUBLE, neighbour(1), 0, MPI_COMM_WORLD, &open[2]);
    MPI_Isend(&x[0], 1, MPI_DOUBLE, neighbour(-1), 1, MPI_COMM_WORLD, &open[3]);
    MPI_Waitall(4, open, MPI_STATUSES_IGNORE);
    double sums[2] = {0, 0};
    for (int i = 0; i < n; i++) {
      x[i] = sin(u[i + 1]) + 0.2 * u[i] * u[i + 2];
      sums[0] += x[i] * x[i];
    }
    MPI_Allreduce(&sums[0], &sums[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
      x[i] /= sqrt(sums[1]);
  }
  for (int i = 0; i < n; i++)
    y[i] = x[i] * u[i];
  free(u);
}
DIRECTIONS(directions_steps)

/// A communicator and a window of the function's own, a request that is started again and again,
/// and values of whoever has the largest.
static void directions_objects(double *x, double *y) {
  int rank = 0, size = 1;
  MPI_Comm pairs;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &pairs);
  MPI_Comm_size(pairs, &size);
  double shown[n], out[n], in[n], most = 0, sum = 0;
  MPI_Win window;
  MPI_Win_create(shown, sizeof shown, sizeof *shown, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int i = 0; i < n; i++)
    shown[i] = 0;
  MPI_Request again[2];
  MPI_Send_init(out, n, MPI_DOUBLE, neighbour(1), 3, MPI_COMM_WORLD, &again[0]);
  MPI_Recv_init(in, n, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &again[1]);
  for (int step = 0; step < 2; step++) {
    for (int i = 0; i < n; i++)
      out[i] = x[i] * x[(i + step) % n];
    MPI_Startall(2, again);
    MPI_Waitall(2, again, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
      sum += in[i] * out[i];
    MPI_Win_fence(0, window);
    MPI_Accumulate(in, n, MPI_DOUBLE, neighbour(size), 0, n, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
  }
  MPI_Request_free(&again[0]);
  MPI_Request_free(&again[1]);
  MPI_Allreduce(&sum, &most, 1, MPI_DOUBLE, MPI_MAX, pairs);
  for (int i = 0; i < n; i++)
    y[i] = most * x[i] + shown[i] * shown[i];
  MPI_Win_free(&window);
  MPI_Comm_free(&pairs);
}
DIRECTIONS(directions_objects)
