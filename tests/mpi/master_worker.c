// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A master that hands out pieces of work to whoever is free, and takes answers as they come.
// Supports: `Probe`, `Iprobe`, `Mprobe`, `Improbe`, `Mrecv`, `Imrecv`, wild cards
#include "GradientCheck.h"
#include <math.h>
#include <mpi.h>

enum { Tasks = 7, Stop = 1000 };

static double work(double value, int task) { return sin(value) * (task + 1) + value * value; }

static double master(const double *x, int n, int size) {
  double answers[Tasks] = {0}, sum = 0;
  int next = 0, open = 0;
  for (int r = 1; r < size; r++) {
    int tag = next < Tasks ? next++ : Stop;
    double value = tag == Stop ? 0 : x[tag % n] * (tag + 1);
    MPI_Send(&value, 1, MPI_DOUBLE, r, tag, MPI_COMM_WORLD);
    open += tag != Stop;
  }
  while (open > 0) {
    MPI_Status status;
    double answer;
    MPI_Recv(&answer, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    answers[status.MPI_TAG] = answer;
    int tag = next < Tasks ? next++ : Stop;
    double value = tag == Stop ? 0 : x[tag % n] * (tag + 1);
    MPI_Send(&value, 1, MPI_DOUBLE, status.MPI_SOURCE, tag, MPI_COMM_WORLD);
    open -= tag == Stop;
  }
  for (int t = next; t < Tasks; t++)
    answers[t] = work(x[t % n] * (t + 1), t);
  for (int t = 0; t < Tasks; t++)
    sum += answers[t] * answers[t] * (t + 1);
  return sum;
}

static double worker(const double *x, int n) {
  for (;;) {
    MPI_Status status;
    double value;
    MPI_Recv(&value, 1, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == Stop)
      return x[n - 1];
    value = work(value, status.MPI_TAG);
    MPI_Send(&value, 1, MPI_DOUBLE, 0, status.MPI_TAG, MPI_COMM_WORLD);
  }
}

static double farm(const double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return rank == 0 ? master(x, n, size) : worker(x, n);
}

GRADIENT_CHECK(master_worker, Double, farm, In(double, 4), Int(4))
