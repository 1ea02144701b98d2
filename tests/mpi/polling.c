// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests that are completed by polling, one at a time, some at a time, in any order.
// Supports: `Test`, `Testall`, `Testany`, `Testsome`, `Waitany`, `Waitsome`
#include "GradientCheck.h"
#include <mpi.h>

enum { N = 2, Most = 8 };

struct channel {
  double data[N];
  MPI_Request request;
};

static double consume(struct channel *c, int who) { return (who + 1) * c->data[0] * c->data[1]; }

static double poll(const double *x, int n) {
  int rank, size, index, flag, count, indices[2 * Most];
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  double sum = 0, in[Most][N], out[Most][N];
  MPI_Request requests[2 * Most];
  MPI_Status statuses[2 * Most];
  struct channel channels[Most];

  for (int r = 0; r < size; r++) { // one structure for each peer, Test in a loop
    MPI_Irecv(channels[r].data, n, MPI_DOUBLE, r, 1, comm, &channels[r].request);
    for (int i = 0; i < n; i++)
      out[r][i] = x[i] * (r + 1 + 0.1 * rank);
    MPI_Isend(out[r], n, MPI_DOUBLE, r, 1, comm, &requests[r]);
  }
  for (int open = size; open > 0;)
    for (int r = 0; r < size; r++)
      if (channels[r].request != MPI_REQUEST_NULL) {
        MPI_Test(&channels[r].request, &flag, MPI_STATUS_IGNORE);
        if (flag) {
          sum += consume(&channels[r], r);
          open--;
        }
      }
  MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);

  for (int r = 0; r < size; r++) { // Waitany until nothing is left
    MPI_Irecv(in[r], n, MPI_DOUBLE, r, 2, comm, &requests[r]);
    MPI_Isend(out[r], n, MPI_DOUBLE, r, 2, comm, &requests[size + r]);
  }
  for (;;) {
    MPI_Waitany(2 * size, requests, &index, statuses);
    if (index == MPI_UNDEFINED)
      break;
    if (index < size)
      sum += in[index][0] * in[index][1] * statuses[0].MPI_SOURCE;
  }

  for (int r = 0; r < size; r++) { // Waitsome, then Testsome
    MPI_Irecv(in[r], n, MPI_DOUBLE, r, 3, comm, &requests[r]);
    MPI_Isend(out[r], n, MPI_DOUBLE, r, 3, comm, &requests[size + r]);
  }
  MPI_Waitsome(2 * size, requests, &count, indices, statuses);
  while (count != MPI_UNDEFINED) {
    for (int i = 0; i < count; i++)
      if (indices[i] < size)
        sum += x[0] * in[indices[i]][0] * in[indices[i]][1];
    MPI_Testsome(2 * size, requests, &count, indices, statuses);
  }

  for (int r = 0; r < size; r++) { // Testall; Testany
    MPI_Irecv(in[r], n, MPI_DOUBLE, r, 4, comm, &requests[r]);
    MPI_Isend(out[r], n, MPI_DOUBLE, r, 4, comm, &requests[size + r]);
  }
  do
    MPI_Testall(size, requests, &flag, MPI_STATUSES_IGNORE);
  while (!flag);
  for (int open = size; open > 0;) {
    MPI_Testany(size, requests + size, &index, &flag, MPI_STATUS_IGNORE);
    if (flag)
      open--;
  }
  for (int r = 0; r < size; r++)
    sum += in[r][0] * in[r][0] * in[r][1];
  return sum;
}

GRADIENT_CHECK(polling, Double, poll, In(double, N), Int(N))
