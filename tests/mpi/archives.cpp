// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages as serialisers make them: a count, an array behind it, one more number, all as bytes
// that nothing aligns.
// Supports: `MPI_BYTE` of floating-point data
#include "GradientCheck.h"

#include <cmath>
#include <cstring>
#include <mpi.h>
#include <vector>

namespace {

std::vector<char> archived(const std::vector<double> &v, double More) {
  const int n = static_cast<int>(v.size());
  std::vector<char> Bytes(sizeof n);
  std::memcpy(Bytes.data(), &n, sizeof n);
  Bytes.resize(Bytes.size() + n * sizeof(double));
  std::memcpy(Bytes.data() + sizeof n, v.data(), n * sizeof(double));
  const std::size_t At = Bytes.size();
  Bytes.resize(At + sizeof More);
  std::memcpy(Bytes.data() + At, &More, sizeof More);
  return Bytes;
}

double shifted(const double *x, double *y, int n) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  std::vector<double> v(n);
  for (int i = 0; i < n; ++i)
    v[i] = x[i] * x[i];
  const std::vector<char> out = archived(v, std::sin(x[0]));
  const int length = static_cast<int>(out.size());
  int coming = 0;
  MPI_Sendrecv(&length, 1, MPI_INT, right, 0, &coming, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  std::vector<char> in(coming);
  MPI_Request request;
  MPI_Irecv(in.data(), coming, MPI_BYTE, left, 1, MPI_COMM_WORLD, &request);
  MPI_Send(out.data(), length, MPI_BYTE, right, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int m = 0;
  std::memcpy(&m, in.data(), sizeof m);
  std::vector<double> w(m);
  std::memcpy(w.data(), in.data() + sizeof m, m * sizeof(double));
  double e = 0;
  std::memcpy(&e, in.data() + sizeof m + m * sizeof(double), sizeof e);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    y[i] = w[i] * e + x[i];
    s += y[i] * y[i];
  }
  return s;
}

/// Two counts with arrays behind them: the first array's numbers lie across those of the second.
double twice(const double *x, double *y, int n) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  enum { Most = 100, Block = 28 };
  char out[Most], in[Most];
  for (int k = 0; k < 2; ++k) {
    const int half = n / 2;
    std::memcpy(out + Block * k, &half, sizeof half);
    for (int i = 0; i < half; ++i) {
      const double v = x[2 * i + k] * x[0];
      std::memcpy(out + Block * k + sizeof half + sizeof v * i, &v, sizeof v);
    }
  }
  MPI_Sendrecv(out, 2 * Block, MPI_BYTE, (rank + 1) % size, 0, in, 2 * Block, MPI_BYTE,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double s = 0;
  const char *next = in;
  for (int k = 0; k < 2; ++k) {
    int half = 0;
    std::memcpy(&half, next, sizeof half);
    std::vector<double> v(half);
    std::memcpy(v.data(), next + sizeof half, half * sizeof(double));
    next += sizeof half + half * sizeof(double);
    for (int i = 0; i < half; ++i) {
      y[2 * i + k] = v[i] * x[0];
      s += v[i] * v[i];
    }
  }
  return s;
}

} // namespace

GRADIENT_CHECK(archive_shifted, Double, shifted, In(double, 5), Out(double, 5), Int(5))
GRADIENT_CHECK(archive_twice, Double, twice, In(double, 6), Out(double, 6), Int(6))
