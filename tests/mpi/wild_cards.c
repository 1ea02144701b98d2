// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Receives that do not name their source or their tag, many of them open at the same time,
// completed in any order: large messages arrive long after small ones that were sent later.
// Supports: receives with wild cards, many open at a time
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

enum { N = 6, Large = 5000, Sent = 3 };

static void sendAll(const double *x, int rank) {
  double *out = malloc((Large + Sent) * sizeof *out);
  MPI_Request requests[Sent];
  for (int i = 0; i < Large + Sent; i++)
    out[i] = x[i % N] * (1 + i * 1e-4);
  for (int k = 0; k < Sent; k++)
    MPI_Isend(out + k, k == 1 ? Large - rank : 2 + k, MPI_DOUBLE, 0, k, MPI_COMM_WORLD,
              &requests[k]);
  MPI_Waitall(Sent, requests, MPI_STATUSES_IGNORE);
  free(out);
}

/// Completes one of the requests: the last one that has arrived, or any.
static int completeOne(MPI_Request *requests, int n, int last, MPI_Status *status) {
  int done;
  for (int i = n - 1; last && i >= 0; i--) {
    MPI_Request_get_status(requests[i], &done, status);
    if (done && status->MPI_SOURCE != MPI_ANY_SOURCE) {
      MPI_Wait(&requests[i], status);
      return i;
    }
  }
  MPI_Waitany(n, requests, &done, status);
  return done;
}

static double receiveAll(int n) {
  double sum = 0, *in = calloc(n + 1, Large * sizeof *in);
  MPI_Request *requests = malloc((n + 1) * sizeof *requests);
  for (int i = 0; i < n; i++)
    if (i % 2) {
      MPI_Irecv(in + i * Large, Large, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                &requests[i]);
    } else {
      MPI_Recv_init(in + i * Large, Large, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                    &requests[i]);
      MPI_Start(&requests[i]);
    }
  for (int k = 0; k < n; k++) {
    MPI_Status status;
    int count, i = completeOne(requests, n, k % 3 == 2, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    for (int j = 0; j < count; j++)
      sum += in[i * Large + j] * in[i * Large + j] * (status.MPI_SOURCE + 10 * status.MPI_TAG);
  }
  for (int i = 0; i < n; i += 2)
    MPI_Request_free(&requests[i]);
  free(in);
  free(requests);
  return 1e-3 * sum;
}

static double anybody(const double *x, double *y) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < N; i++)
    y[i] = x[i] * x[i];
  double sum = 0;
  if (rank == 0)
    sum = receiveAll(Sent * (size - 1));
  else
    sendAll(x, rank);
  MPI_Barrier(MPI_COMM_WORLD);
  return sum;
}

GRADIENT_CHECK(wild_cards_anybody, Double, anybody, In(double, N), Out(double, N))

/// One receive for each rank, of any tag, completed some at a time.
static double anything(const double *x, double *y) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < N; i++)
    y[i] = x[i] * x[i];
  if (rank) {
    MPI_Ssend(y, N, MPI_DOUBLE, 0, rank, MPI_COMM_WORLD);
    return 0;
  }
  double sum = 0, *in = malloc(size * N * sizeof *in);
  MPI_Request *requests = malloc(size * sizeof *requests);
  MPI_Status *statuses = malloc(size * sizeof *statuses);
  int count, *indices = malloc(size * sizeof *indices);
  for (int i = 1; i < size; i++)
    MPI_Irecv(in + i * N, N, MPI_DOUBLE, i, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i - 1]);
  for (int open = size - 1; open > 0; open -= count) {
    MPI_Testsome(size - 1, requests, &count, indices, statuses);
    for (int k = 0; k < count; k++)
      for (int i = 0; i < N; i++)
        sum += in[(indices[k] + 1) * N + i] * x[i] * statuses[k].MPI_TAG;
  }
  free(in);
  free(requests);
  free(statuses);
  free(indices);
  return sum;
}

GRADIENT_CHECK(wild_cards_anything, Double, anything, In(double, N), Out(double, N))
