// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of a parallel region that communicate on their own (MPI_THREAD_MULTIPLE).
// Supports: calls by the threads of a parallel region
#include "GradientCheck.h"

#include <math.h>
#include <mpi.h>
#include <omp.h>

enum { n = 8 };

/// Every thread exchanges its part, with a tag of its own.
static double threads(const double *x, double *y) {
  int rank, size;
  double sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    int me = omp_get_thread_num();
    double out[n / 2], in[n / 2];
    MPI_Request open[2];
    for (int i = 0; i < n / 2; ++i)
      out[i] = sin(x[me * (n / 2) + i]);
    MPI_Irecv(in, n / 2, MPI_DOUBLE, (rank + size - 1) % size, me, MPI_COMM_WORLD, &open[0]);
    MPI_Isend(out, n / 2, MPI_DOUBLE, (rank + 1) % size, me, MPI_COMM_WORLD, &open[1]);
    MPI_Waitall(2, open, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n / 2; ++i) {
      y[me * (n / 2) + i] = in[i] * x[i];
      sum += in[i] * in[i];
    }
  }
  return sum;
}
GRADIENT_CHECK(threads_own_tags, Double, threads, In(double, n), Out(double, n))

/// Tasks of a loop: any thread takes any message.
static double dynamic_messages(const double *x, double *y) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double in[n];
#pragma omp parallel for schedule(dynamic, 1) num_threads(3)
  for (int i = 0; i < n; ++i) {
    double out = x[i] * x[i];
    MPI_Sendrecv(&out, 1, MPI_DOUBLE, (rank + 1) % size, i, &in[i], 1, MPI_DOUBLE,
                 (rank + size - 1) % size, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    y[i] = in[i] * x[i];
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i];
  return sum;
}
GRADIENT_CHECK(threads_dynamic, Double, dynamic_messages, In(double, n), Out(double, n))

/// Requests started before the region and completed by its threads; collectives by the master.
static double across(const double *x, double *y) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double in[2][n], sum = 0;
  MPI_Request open[4];
  for (int k = 0; k < 2; ++k) {
    MPI_Irecv(in[k], n, MPI_DOUBLE, (rank + size - 1) % size, k, MPI_COMM_WORLD, &open[k]);
    MPI_Isend(x, n, MPI_DOUBLE, (rank + 1) % size, k, MPI_COMM_WORLD, &open[2 + k]);
  }
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num();
    MPI_Wait(&open[me], MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      in[me][i] *= x[i];
#pragma omp barrier
#pragma omp master
    MPI_Allreduce(in[0], y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Waitall(2, open + 2, MPI_STATUSES_IGNORE);
  for (int i = 0; i < n; ++i)
    sum += in[1][i] * y[i];
  return sum;
}
GRADIENT_CHECK(threads_across, Double, across, In(double, n), Out(double, n))

enum { many = 3000 };

static __attribute__((noinline)) void get(double *got, int from, MPI_Win win) {
  MPI_Get(got, many, MPI_DOUBLE, from, 0, many, MPI_DOUBLE, win);
  MPI_Win_flush_all(win);
}

/// One thread reads memory of its rank's window, to which another thread brings what others add.
static double reads_while_others_get(const double *x) {
  int rank, size;
  double *w, sum = 0;
  static double got[many];
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(many * sizeof *w, sizeof *w, MPI_INFO_NULL, MPI_COMM_WORLD, &w, &win);
  for (int i = 0; i < many; ++i)
    w[i] = x[i % n] * (1 + i);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
#pragma omp parallel num_threads(2) reduction(+ : sum)
  for (int round = 0; round < 10; ++round) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < many; ++i)
      sum += w[i] * w[i] / many;
    if (omp_get_thread_num() == 0) {
      get(got, (rank + 1) % size, win);
      for (int i = 0; i < many; ++i)
        sum += got[i] * x[i % n] / many;
    }
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  return sum;
}
GRADIENT_CHECK(threads_and_windows, Double, reads_while_others_get, In(double, n))
