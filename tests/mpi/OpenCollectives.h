// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs with several collectives open at a time have in common.

#pragma once

#include <mpi.h>

static inline double weigh(const double *v, int n, int rank) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (1 + (i + rank) % 5) * v[i] * v[i];
  return sum;
}

/// In another order on every other rank.
static inline void finish(int n, MPI_Request *requests, int rank) {
  if (rank % 2)
    for (int i = n - 1; i >= 0; i--)
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  else
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}
