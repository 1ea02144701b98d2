// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that nothing but persistent receives writes, in a loop that is not linear in it.
// Supports: `Send_init`, `Recv_init`, `Start(all)`
#include "GradientCheck.h"
#include <mpi.h>

static double march(const double *x, int n, int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double in[2], out[2], u = x[0], sum = 0;
  MPI_Request requests[2];
  MPI_Recv_init(in, 2, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, 2, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
  for (int s = 0; s < steps; s++) {
    out[0] = u * x[s % n];
    out[1] = u + x[(s + 1) % n];
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    u = 0.3 * in[0] * in[1];
    sum += in[0] * in[0] * in[1];
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  return sum + u;
}

GRADIENT_CHECK(persistent_only, Double, march, In(double, 3), Int(3), Int(4))
