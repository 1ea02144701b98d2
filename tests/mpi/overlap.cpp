// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages are on their way while the rank calculates: in the reverse sweep as well. All adjoint
// messages are posted before the calculation is reversed and none after it; what is shown is the
// order of calls, not times.
// Supports: communication behind computation, also in reverse
#include "GradientCheck.h"
#include "MpiLeaks.h"
#include <cmath>
#include <limits>
#include <mpi.h>

enum { N = 4, Messages = 4 };

static long before, meanwhile, faults;

// The calculation between starts and waits. Its derivative looks at what has been posted.
static double work(double x) { return std::sin(x); }
static double workForward(double x) {
  before = contraflow::test::mpiRequestsMade();
  return std::sin(x);
}
static double workReverse(double x, double bar) {
  meanwhile = contraflow::test::mpiRequestsMade();
  if (meanwhile - before != Messages)
    ++faults;
  return faults ? std::numeric_limits<double>::quiet_NaN() : std::cos(x) * bar;
}
static double workTangent(double x, double dot) { return std::cos(x) * dot; }
extern "C" {
void *__enzyme_register_gradient_work[] = {reinterpret_cast<void *>(work),
                                           reinterpret_cast<void *>(workForward),
                                           reinterpret_cast<void *>(workReverse)};
void *__enzyme_register_derivative_work[] = {reinterpret_cast<void *>(work),
                                             reinterpret_cast<void *>(workTangent)};
}

// What is reversed last sees whether anything was posted after the calculation.
static double first(double x) { return x; }
static double firstReverse(double, double bar) {
  faults += meanwhile != contraflow::test::mpiRequestsMade();
  return faults ? std::numeric_limits<double>::quiet_NaN() : bar;
}
static double firstTangent(double, double dot) { return dot; }
extern "C" {
void *__enzyme_register_gradient_first[] = {reinterpret_cast<void *>(first),
                                            reinterpret_cast<void *>(first),
                                            reinterpret_cast<void *>(firstReverse)};
void *__enzyme_register_derivative_first[] = {reinterpret_cast<void *>(first),
                                              reinterpret_cast<void *>(firstTangent)};
}

static double exchange(const double *x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  double a[N], left[N], right[N];
  for (int i = 0; i < n; i++)
    a[i] = x[i] * x[i] * (rank + 1);
  a[0] = first(a[0]);
  MPI_Request open[Messages];
  MPI_Irecv(left, n, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &open[0]);
  MPI_Irecv(right, n, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &open[1]);
  MPI_Isend(a, n, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &open[2]);
  MPI_Isend(a, n, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &open[3]);
  const double inner = work(x[0] * x[1]);
  MPI_Waitall(Messages, open, MPI_STATUSES_IGNORE);
  double sum = inner * a[0];
  for (int i = 0; i < n; i++)
    sum += left[i] * right[n - 1 - i];
  return sum;
}

GRADIENT_CHECK(overlap, Double, exchange, In(double, N), Int(N))
