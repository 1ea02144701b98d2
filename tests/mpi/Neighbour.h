// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks in a ring.

#pragma once

#include <mpi.h>

/// The rank so many steps behind this one, or before it.
static inline int neighbour(int step) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return ((rank + step) % size + size) % size;
}
