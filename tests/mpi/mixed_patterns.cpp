// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns that cross: persistent requests that start again one by one as some of them complete,
// one buffer in several operations at a time, datatypes that differ between the ranks of one
// collective, MPI's functions in tables, requests that change places.
#include "GradientCheck.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mpi.h>
#include <vector>

namespace {

enum { n = 4 };

struct Place {
  int rank = 0, size = 1, next = 0, before = 0;
  Place() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
  }
};

double restarted(const double *x, int rounds) {
  const Place at;
  double in[n][2] = {}, out[n][2], sum = 0;
  MPI_Request requests[2 * n];
  int starts[2 * n] = {0};
  for (int k = 0; k < n; ++k) {
    out[k][0] = std::sin(x[k]);
    out[k][1] = x[k] * x[0];
    MPI_Recv_init(in[k], 2, MPI_DOUBLE, at.before, k, MPI_COMM_WORLD, &requests[k]);
    MPI_Send_init(out[k], 2, MPI_DOUBLE, at.next, k, MPI_COMM_WORLD, &requests[n + k]);
  }
  MPI_Startall(2 * n, requests);
  for (int open = 2 * n * rounds; open > 0;) {
    int count = 0, indices[2 * n];
    MPI_Waitsome(2 * n, requests, &count, indices, MPI_STATUSES_IGNORE);
    open -= count;
    for (int i = 0; i < count; ++i) {
      const int k = indices[i];
      ++starts[k];
      if (k < n) {
        sum += in[k][0] * in[k][1] * starts[k] + x[k] * in[k][0];
      } else {
        out[k - n][0] *= x[1];
        out[k - n][1] += std::cos(out[k - n][0]);
      }
      if (starts[k] < rounds)
        MPI_Start(&requests[k]);
    }
  }
  for (MPI_Request &each : requests)
    MPI_Request_free(&each);
  return sum;
}

double oneBuffer(const double *x, int count) {
  const Place at;
  double a[n], near[n], part[n - 1], all[n];
  std::vector<double> everybody(static_cast<std::size_t>(n * at.size));
  for (int i = 0; i < n; ++i)
    a[i] = x[i] * x[i];
  MPI_Request requests[5];
  MPI_Isend(a, n, MPI_DOUBLE, at.next, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(a, all, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Iallgather(a, n, MPI_DOUBLE, everybody.data(), n, MPI_DOUBLE, MPI_COMM_WORLD, &requests[2]);
  MPI_Issend(a + 1, n - 1, MPI_DOUBLE, at.next, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Irecv(part, n - 1, MPI_DOUBLE, at.before, 1, MPI_COMM_WORLD, &requests[4]);
  MPI_Recv(near, n, MPI_DOUBLE, at.before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::reverse(std::begin(requests), std::end(requests));
  for (int done = 0; done < 5;) {
    int index = 0, flag = 0;
    MPI_Testany(5, requests, &index, &flag, MPI_STATUS_IGNORE);
    done += flag != 0;
  }
  double sum = part[0] * part[n - 2];
  for (int i = 0; i < count; ++i) {
    a[i] = all[i] * everybody[static_cast<std::size_t>(n * (at.size - 1) + i)];
    sum += a[i] * near[i];
  }
  return sum;
}

double layouts(const double *x, int count) {
  const Place at;
  double b[9] = {0}, sum = 0;
  MPI_Datatype spread = MPI_DATATYPE_NULL, three = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 2, 3, MPI_DOUBLE, &spread);
  MPI_Type_contiguous(3, MPI_DOUBLE, &three);
  MPI_Type_commit(&spread);
  MPI_Type_commit(&three);
  for (int i = 0; at.rank == 0 && i < 8; ++i)
    b[i] = x[i % count] * (i + 1);
  if (at.rank == 0)
    MPI_Bcast(b, 1, spread, 0, MPI_COMM_WORLD);
  else if (at.rank == 1)
    MPI_Bcast(b, 2, three, 0, MPI_COMM_WORLD);
  else
    MPI_Bcast(b, 6, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  std::vector<double> all(static_cast<std::size_t>(6 * at.size));
  if (at.rank % 2)
    MPI_Allgather(b, 1, spread, all.data(), 2, three, MPI_COMM_WORLD);
  else
    MPI_Allgather(b, 6, MPI_DOUBLE, all.data(), 6, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Type_free(&spread);
  MPI_Type_free(&three);
  for (std::size_t i = 0; i < all.size(); ++i)
    sum += all[i] * all[i] * x[i % static_cast<std::size_t>(count)];
  return sum + b[1] * b[3];
}

struct Mode {
  int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
  int (*receive)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
};
const Mode modes[2] = {{MPI_Isend, MPI_Irecv}, {MPI_Issend, MPI_Irecv}};

double tables(const double *x, int count) {
  const Place at;
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    const double out = x[k] * x[0];
    double in = 0;
    MPI_Request requests[2];
    const Mode &mode = modes[k % 2];
    mode.receive(&in, 1, MPI_DOUBLE, at.before, 0, MPI_COMM_WORLD, &requests[0]);
    mode.send(&out, 1, MPI_DOUBLE, at.next, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    sum += in * in * out;
  }
  return sum;
}

} // namespace

GRADIENT_CHECK(restarted, Double, restarted, In(double, n), Int(3))
GRADIENT_CHECK(one_buffer, Double, oneBuffer, In(double, n), Int(n))
GRADIENT_CHECK(layouts_of_ranks, Double, layouts, In(double, n), Int(n))
GRADIENT_CHECK(mpi_in_tables, Double, tables, In(double, n), Int(n))
