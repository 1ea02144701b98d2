// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every nonblocking collective, several of them open at a time and completed in another order on
// every other rank.
// Supports: nonblocking collectives
#include "GradientCheck.h"
#include "OpenCollectives.h"

enum { N = 3, Most = 8 };

static double movements(const double *x, int n) {
  int rank, size, counts[Most], starts[Most];
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  double a[Most * N], b[Most * N], c[Most * N], d[Most * N], e[N], sum = 0;
  MPI_Request requests[4];
  for (int i = 0; i < size * N; i++) {
    a[i] = x[i % n] * (1 + 0.1 * i);
    b[i] = c[i] = d[i] = x[(i + 1) % n];
  }
  for (int r = 0; r < size; r++) {
    counts[r] = 1 + r % 3;
    starts[r] = N * r;
  }
  e[0] = x[0] * x[1];
  e[1] = x[2] * rank;
  e[2] = 1;
  MPI_Igather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, size - 1, comm, &requests[0]);
  MPI_Iallgather(a, n, MPI_DOUBLE, c, n, MPI_DOUBLE, comm, &requests[1]);
  MPI_Ialltoall(a, n, MPI_DOUBLE, d, n, MPI_DOUBLE, comm, &requests[2]);
  MPI_Ibcast(e, n, MPI_DOUBLE, 0, comm, &requests[3]);
  finish(4, requests, rank);
  sum += weigh(b, size * N, rank) + weigh(c, size * N, rank) + weigh(d, size * N, rank) +
         weigh(e, n, rank);
  MPI_Igatherv(d, counts[rank], MPI_DOUBLE, b, counts, starts, MPI_DOUBLE, 0, comm, &requests[0]);
  MPI_Iallgatherv(d, counts[rank], MPI_DOUBLE, c, counts, starts, MPI_DOUBLE, comm, &requests[1]);
  MPI_Iscatter(a, n, MPI_DOUBLE, e, n, MPI_DOUBLE, size - 1, comm, &requests[2]);
  finish(3, requests, rank);
  sum += weigh(b, size * N, rank) + weigh(c, size * N, rank) * x[0] + weigh(e, n, rank);
  MPI_Iscatterv(c, counts, starts, MPI_DOUBLE, e, counts[rank], MPI_DOUBLE, 0, comm, &requests[0]);
  for (int r = 0; r < size; r++)
    counts[r] = (rank + r) % 3;
  MPI_Ialltoallv(b, counts, starts, MPI_DOUBLE, d, counts, starts, MPI_DOUBLE, comm, &requests[1]);
  MPI_Ibarrier(comm, &requests[2]);
  finish(3, requests, rank);
  return sum + weigh(d, size * N, rank) + weigh(e, n, rank);
}

GRADIENT_CHECK(nonblocking_movements, Double, movements, In(double, N), Int(N))

static double reductions(const double *x, int n) {
  int rank, size, counts[Most], flag = 0;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  double a[N], b[N], c[N], d[N], e[N] = {1, 1, 1}, f[N], g[Most * N], h[N] = {0};
  MPI_Request requests[6];
  for (int i = 0; i < n; i++)
    f[i] = a[i] = x[i] * x[(i + 1) % n];
  for (int i = 0; i < size * N; i++)
    g[i] = x[i % n] * (1 + i);
  for (int r = 0; r < size; r++)
    counts[r] = r % 3;
  MPI_Iallreduce(x, b, n, MPI_DOUBLE, MPI_MAX, comm, &requests[0]);
  MPI_Iallreduce(MPI_IN_PLACE, f, n, MPI_DOUBLE, MPI_PROD, comm, &requests[1]);
  MPI_Iscan(a, c, n, MPI_DOUBLE, MPI_SUM, comm, &requests[2]);
  MPI_Iexscan(a, e, n, MPI_DOUBLE, MPI_PROD, comm, &requests[3]);
  MPI_Ireduce(a, d, n, MPI_DOUBLE, MPI_MIN, size - 1, comm, &requests[4]);
  MPI_Ireduce_scatter(g, h, counts, MPI_DOUBLE, MPI_SUM, comm, &requests[5]);
  if (rank % 2 == 0)
    while (!flag)
      MPI_Testall(6, requests, &flag, MPI_STATUSES_IGNORE);
  else
    finish(6, requests, rank);
  double sum = weigh(b, n, rank) + weigh(c, n, rank) * x[0] + weigh(e, n, rank) + weigh(f, n, 1) +
               weigh(h, counts[rank], rank);
  if (rank == size - 1)
    sum += weigh(d, n, 0);
  MPI_Ireduce_scatter_block(g, h, n, MPI_DOUBLE, MPI_SUM, comm, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  return sum + weigh(h, n, rank);
}

GRADIENT_CHECK(nonblocking_reductions, Double, reductions, In(double, N), Int(N))
