// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What MPI has packed is moved to memory that grows from call to call.
// Supports: `MPI_Pack` into memory that grows
#include "GradientCheck.h"

#include <cmath>
#include <cstdlib>
#include <mpi.h>
#include <vector>

namespace {

/// As libraries have it that put one object after the other.
class Parcel {
public:
  void put(const std::vector<double> &v) {
    const int n = static_cast<int>(v.size());
    more(1, MPI_INT);
    MPI_Pack(&n, 1, MPI_INT, Bytes.data(), size(), &At, MPI_COMM_WORLD);
    more(n, MPI_DOUBLE);
    MPI_Pack(v.data(), n, MPI_DOUBLE, Bytes.data(), size(), &At, MPI_COMM_WORLD);
  }
  std::vector<double> get() {
    int n = 0;
    MPI_Unpack(Bytes.data(), size(), &At, &n, 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<double> v(n);
    MPI_Unpack(Bytes.data(), size(), &At, v.data(), n, MPI_DOUBLE, MPI_COMM_WORLD);
    return v;
  }
  void receive(int From) {
    MPI_Message Message;
    MPI_Status Status;
    int Count = 0;
    MPI_Mprobe(From, 3, MPI_COMM_WORLD, &Message, &Status);
    MPI_Get_count(&Status, MPI_PACKED, &Count);
    Bytes.resize(Count);
    MPI_Mrecv(Bytes.data(), Count, MPI_PACKED, &Message, MPI_STATUS_IGNORE);
  }
  const char *data() const { return Bytes.data(); }
  int length() const { return At; }

private:
  int size() const { return static_cast<int>(Bytes.size()); }
  void more(int Count, MPI_Datatype Type) {
    int Room = 0;
    MPI_Pack_size(Count, Type, MPI_COMM_WORLD, &Room);
    Bytes.resize(At + Room);
  }
  std::vector<char> Bytes;
  int At = 0;
};

double parcels(const double *x, int n) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Parcel out, in;
  out.put(std::vector<double>(x, x + n));
  std::vector<double> more;
  for (int i = 0; i <= rank; ++i)
    more.push_back(x[i % n] * x[0]);
  out.put(more);
  MPI_Request request;
  MPI_Isend(out.data(), out.length(), MPI_PACKED, (rank + 1) % size, 3, MPI_COMM_WORLD, &request);
  in.receive((rank + size - 1) % size);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  double s = 0;
  for (const double v : in.get())
    s += v * v;
  for (const double v : in.get())
    s += v * std::sin(v);
  return s;
}

/// Integers and floats of two kinds, with realloc.
double records(const double *x, int n) {
  char *bytes = nullptr;
  int end = 0, room = 0, at = 0;
  for (int i = 0; i < n; ++i) {
    const double v = x[i] * x[0];
    const float weight = static_cast<float>(i + 1);
    bytes = static_cast<char *>(std::realloc(bytes, room += 16));
    MPI_Pack(&i, 1, MPI_INT, bytes, room, &end, MPI_COMM_WORLD);
    MPI_Pack(&v, 1, MPI_DOUBLE, bytes, room, &end, MPI_COMM_WORLD);
    MPI_Pack(&weight, 1, MPI_FLOAT, bytes, room, &end, MPI_COMM_WORLD);
  }
  double s = 0;
  while (at < end) {
    int which = 0;
    double v = 0;
    float weight = 0;
    MPI_Unpack(bytes, room, &at, &which, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(bytes, room, &at, &v, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Unpack(bytes, room, &at, &weight, 1, MPI_FLOAT, MPI_COMM_WORLD);
    s += which * v * weight + v * v;
  }
  std::free(bytes);
  return s;
}

/// With memory that ranks share, what is added to adjoints is added atomically.
double parcels_beside_shared(const double *x, int n) {
  MPI_Win window = MPI_WIN_NULL;
  double *mine = nullptr;
  MPI_Win_allocate_shared(n * static_cast<MPI_Aint>(sizeof(double)), sizeof(double), MPI_INFO_NULL,
                          MPI_COMM_WORLD, &mine, &window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < n; ++i)
    mine[i] = std::sin(x[i]);
  MPI_Win_fence(0, window);
  const double sum = parcels(mine, n) * mine[0];
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  return sum;
}

} // namespace

GRADIENT_CHECK(growing_parcels, Double, parcels, In(double, 4), Int(4))
GRADIENT_CHECK(growing_records, Double, records, In(double, 6), Int(6))
GRADIENT_CHECK(parcels_beside_shared, Double, parcels_beside_shared, In(double, 4), Int(4))
