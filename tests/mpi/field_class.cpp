// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A distributed field as a class: buffers in std::vector, exchange in a member function.
// Supports: with C++ classes
#include "GradientCheck.h"
#include <mpi.h>
#include <vector>

namespace {

class Field {
public:
  Field(const double *u, int n) : N(n), U(n + 2), Next(n + 2) {
    MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
    MPI_Comm_size(MPI_COMM_WORLD, &Size);
    for (int i = 0; i < n; ++i)
      U[i + 1] = u[i];
  }

  void step() {
    exchange();
    for (int i = 1; i <= N; ++i)
      Next[i] = 0.25 * U[i - 1] * U[i] + 0.5 * U[i + 1];
    U.swap(Next);
  }

  double energy() const {
    double mine = 0, all = 0;
    for (int i = 1; i <= N; ++i)
      mine += U[i] * U[i];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
  }

private:
  void exchange() {
    const int left = (Rank + Size - 1) % Size, right = (Rank + 1) % Size;
    MPI_Request requests[4];
    MPI_Irecv(&U[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&U[N + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&U[N], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&U[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }

  int N, Rank = 0, Size = 1;
  std::vector<double> U, Next;
};

double simulate(const double *u, int n, int steps) {
  Field field(u, n);
  for (int s = 0; s < steps; ++s)
    field.step();
  return field.energy();
}

} // namespace

GRADIENT_CHECK(field_class, Replicated, simulate, BlockIn(double, 24), BlockInt(24), Int(3))
