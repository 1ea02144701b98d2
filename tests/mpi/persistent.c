// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A time loop with persistent requests.
// Supports: `Send_init`, `Recv_init`, `Start(all)`
#include "GradientCheck.h"
#include <mpi.h>

enum { N = 6 };

static double march(const double *x, int n, int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double u[N + 2], v[N + 2];
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Request requests[4];
  u[0] = u[n + 1] = 0.3;
  for (int i = 0; i < n; i++)
    u[i + 1] = x[i];
  MPI_Recv_init(&u[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&u[n + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Send_init(&u[n], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Ssend_init(&u[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
  for (int s = 0; s < steps; s++) {
    if (s % 2)
      MPI_Startall(4, requests);
    else
      for (int i = 0; i < 4; i++)
        MPI_Start(&requests[i]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= n; i++)
      v[i] = u[i] + 0.1 * u[i] * (u[i - 1] - 2 * u[i] + u[i + 1]);
    for (int i = 1; i <= n; i++)
      u[i] = v[i];
  }
  for (int i = 0; i < 4; i++)
    MPI_Request_free(&requests[i]);
  double sum = 0;
  for (int i = 0; i <= n + 1; i++)
    sum += u[i] * u[i];
  return sum;
}

GRADIENT_CHECK(persistent, Double, march, In(double, N), Int(N), Int(5))
