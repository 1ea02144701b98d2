// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of integers have no mirror in a program without windows: linked by itself, since in
// programs with windows they order accesses to these. Requests are counted; collectives that block
// make none.
// Supports: messages of integers have no mirrors in programs without windows
#include "GradientCheck.h"
#include "MpiLeaks.h"
#include <cmath>
#include <limits>
#include <mpi.h>

enum { N = 5 };

static long atLast, faults;

// What is reversed first counts the requests so far.
static double last(double x) { return std::sin(x); }
static double lastReverse(double x, double bar) {
  atLast = contraflow::test::mpiRequestsMade();
  return std::cos(x) * bar;
}
static double lastTangent(double x, double dot) { return std::cos(x) * dot; }

// What is reversed last sees whether there are more.
static double first(double x) { return x; }
static double firstReverse(double, double bar) {
  faults += atLast != contraflow::test::mpiRequestsMade();
  return faults ? std::numeric_limits<double>::quiet_NaN() : bar;
}
static double firstTangent(double, double dot) { return dot; }
extern "C" {
void *__enzyme_register_gradient_last[] = {reinterpret_cast<void *>(last),
                                           reinterpret_cast<void *>(last),
                                           reinterpret_cast<void *>(lastReverse)};
void *__enzyme_register_derivative_last[] = {reinterpret_cast<void *>(last),
                                             reinterpret_cast<void *>(lastTangent)};
void *__enzyme_register_gradient_first[] = {reinterpret_cast<void *>(first),
                                            reinterpret_cast<void *>(first),
                                            reinterpret_cast<void *>(firstReverse)};
void *__enzyme_register_derivative_first[] = {reinterpret_cast<void *>(first),
                                              reinterpret_cast<void *>(firstTangent)};
}

/// Numbers of the neighbours choose what is taken.
static double chosen(const double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double sum = first(x[0]);
  int mine = rank % n, theirs = -1;
  MPI_Request open[2];
  MPI_Irecv(&theirs, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &open[0]);
  MPI_Isend(&mine, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &open[1]);
  MPI_Waitall(2, open, MPI_STATUSES_IGNORE);
  int most = mine;
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    sum += x[i] * x[theirs] + most * x[most] * x[i];
  return last(sum);
}

GRADIENT_CHECK(integers_beside, Double, chosen, In(double, N), Int(N))
