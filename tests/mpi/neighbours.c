// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbourhood collectives on a grid with and without periods, and on a directed graph.
// Supports: neighbourhood collectives
#include "GradientCheck.h"
#include <mpi.h>

enum { N = 2 };

static double weigh(const double *v, int n, int rank) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (1 + (i + rank) % 7) * v[i] * v[i];
  return sum;
}

static double grid(const double *x, int n) {
  int rank, size, dims[2] = {0, 0}, periods[2] = {1, 0};
  MPI_Comm comm;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
  MPI_Comm_rank(comm, &rank);
  double a[4 * N], b[4 * N], c[4 * N], sum;
  for (int i = 0; i < 4 * N; i++) {
    a[i] = x[i % n] * (1 + 0.3 * i);
    c[i] = b[i] = x[(i + 1) % n] * 0.5;
  }
  MPI_Neighbor_alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, comm);
  sum = weigh(b, 4 * N, rank);
  MPI_Neighbor_allgather(b, n, MPI_DOUBLE, c, n, MPI_DOUBLE, comm);
  sum += weigh(c, 4 * N, rank);
  MPI_Request requests[2];
  MPI_Ineighbor_alltoall(c, n, MPI_DOUBLE, a, n, MPI_DOUBLE, comm, &requests[0]);
  MPI_Ineighbor_allgather(c, n, MPI_DOUBLE, b, n, MPI_DOUBLE, comm, &requests[1]);
  MPI_Wait(&requests[rank % 2], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1 - rank % 2], MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  return sum + weigh(a, 4 * N, rank) + weigh(b, 4 * N, rank);
}

GRADIENT_CHECK(neighbours_grid, Double, grid, In(double, N), Int(N))

static double graph(const double *x, int n) {
  int rank, size;
  MPI_Comm comm;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  // To the next rank twice and to oneself.
  int sources[3] = {(rank + size - 1) % size, (rank + size - 1) % size, rank};
  int targets[3] = {(rank + 1) % size, (rank + 1) % size, rank};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, MPI_UNWEIGHTED, 3, targets,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  double a[3 * N], b[3 * N], c[3 * N], sum;
  for (int i = 0; i < 3 * N; i++) {
    a[i] = x[i % n] * (1 + 0.3 * i);
    c[i] = b[i] = x[(i + 1) % n] * 0.5;
  }
  const int counts[3] = {1, 2, 1}, starts[3] = {2, 0, 4};
  MPI_Neighbor_alltoallv(a, counts, starts, MPI_DOUBLE, b, counts, starts, MPI_DOUBLE, comm);
  sum = weigh(b, 3 * N, rank);
  MPI_Neighbor_allgatherv(b, 1, MPI_DOUBLE, c, (const int[]){1, 1, 1}, starts, MPI_DOUBLE, comm);
  const MPI_Aint places[3] = {0, 16, 40};
  const MPI_Datatype types[3] = {MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE};
  MPI_Neighbor_alltoallw(c, (const int[]){1, 2, 1}, places, types, a, (const int[]){1, 2, 1},
                         places, types, comm);
  MPI_Comm_free(&comm);
  return sum + weigh(a, 3 * N, rank) * x[0];
}

GRADIENT_CHECK(neighbours_graph, Double, graph, In(double, N), Int(N))

/// Every block is another one: with one or two ranks in a direction it matters which of the two
/// edges to a neighbour each call takes first.
static double orders(const double *x, int n) {
  int rank, size, dims[2] = {0, 0};
  const int periods[2] = {1, 1}, ones[4] = {1, 1, 1, 1}, starts[4] = {0, 1, 2, 3};
  const MPI_Aint places[4] = {0, 8, 16, 24};
  const MPI_Datatype types[4] = {MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE};
  MPI_Comm comm;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
  MPI_Comm_rank(comm, &rank);
  double a[4], b[4], sum = 0;
  for (int i = 0; i < 4; i++)
    a[i] = x[i % n] * (1 + 0.3 * i) + 0.1 * rank;
  for (int form = 0; form < 6; form++) {
    MPI_Request request = MPI_REQUEST_NULL;
    switch (form) {
    case 0:
      MPI_Neighbor_alltoall(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, comm);
      break;
    case 1:
      MPI_Ineighbor_alltoall(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, comm, &request);
      break;
    case 2:
      MPI_Neighbor_alltoallv(a, ones, starts, MPI_DOUBLE, b, ones, starts, MPI_DOUBLE, comm);
      break;
    case 3:
      MPI_Ineighbor_alltoallv(a, ones, starts, MPI_DOUBLE, b, ones, starts, MPI_DOUBLE, comm,
                              &request);
      break;
    case 4:
      MPI_Neighbor_alltoallw(a, ones, places, types, b, ones, places, types, comm);
      break;
    default:
      MPI_Ineighbor_alltoallw(a, ones, places, types, b, ones, places, types, comm, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += weigh(b, 4, rank);
    for (int i = 0; i < 4; i++)
      a[i] += 0.2 * b[i] * x[(i + form) % n] * (i + 1);
  }
  MPI_Comm_free(&comm);
  return sum;
}

GRADIENT_CHECK(neighbours_orders, Double, orders, In(double, N), Int(N))
