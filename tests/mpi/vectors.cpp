// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modern C++ over MPI: wrappers that own their handles, vectors of requests, templates.
// Supports: C++ classes that own communicators and requests
#include "GradientCheck.h"
#include <functional>
#include <memory>
#include <mpi.h>
#include <numeric>
#include <vector>

namespace {

template <class T> MPI_Datatype datatype();
template <> MPI_Datatype datatype<double>() { return MPI_DOUBLE; }

class Comm {
public:
  explicit Comm(MPI_Comm Of) { MPI_Comm_dup(Of, &Handle); }
  ~Comm() { MPI_Comm_free(&Handle); }
  Comm(const Comm &) = delete;
  Comm &operator=(const Comm &) = delete;
  int rank() const {
    int Rank;
    MPI_Comm_rank(Handle, &Rank);
    return Rank;
  }
  int size() const {
    int Size;
    MPI_Comm_size(Handle, &Size);
    return Size;
  }
  template <class T> void send(const std::vector<T> &Data, int To) {
    Requests.emplace_back();
    MPI_Isend(Data.data(), static_cast<int>(Data.size()), datatype<T>(), To, 4, Handle,
              &Requests.back());
  }
  template <class T> void receive(std::vector<T> &Data, int From) {
    Requests.emplace_back();
    MPI_Irecv(Data.data(), static_cast<int>(Data.size()), datatype<T>(), From, 4, Handle,
              &Requests.back());
  }
  void wait() {
    MPI_Waitall(static_cast<int>(Requests.size()), Requests.data(), MPI_STATUSES_IGNORE);
    Requests.clear();
  }
  template <class T> std::vector<T> gather(const std::vector<T> &Data) const {
    std::vector<T> All(Data.size() * static_cast<unsigned>(size()));
    MPI_Allgather(Data.data(), static_cast<int>(Data.size()), datatype<T>(), All.data(),
                  static_cast<int>(Data.size()), datatype<T>(), Handle);
    return All;
  }

private:
  MPI_Comm Handle;
  std::vector<MPI_Request> Requests;
};

double program(const double *x, int n) {
  Comm Mine(MPI_COMM_WORLD);
  const int Size = Mine.size(), Rank = Mine.rank();
  std::vector<std::vector<double>> Out(static_cast<unsigned>(Size)), In = Out;
  for (int R = 0; R < Size; ++R) {
    for (int I = 0; I <= (Rank + R) % n; ++I)
      Out[static_cast<unsigned>(R)].push_back(x[I] * x[I] * (R + 1));
    In[static_cast<unsigned>(R)].resize(static_cast<unsigned>((Rank + R) % n + 1));
    Mine.receive(In[static_cast<unsigned>(R)], R);
    Mine.send(Out[static_cast<unsigned>(R)], R);
  }
  Mine.wait();
  double Sum = 0;
  for (const auto &V : In)
    Sum += std::accumulate(V.begin(), V.end(), 1.0, std::multiplies<>());
  const std::vector<double> All = Mine.gather(std::vector<double>{Sum, x[0]});
  return std::inner_product(All.begin(), All.end(), All.rbegin(), 0.0);
}

} // namespace

GRADIENT_CHECK(vectors, Double, program, In(double, 3), Int(3))
