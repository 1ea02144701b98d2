// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Active numbers among the characters of an archive travel as text: a message of integers carries
// no derivative, wherever in it the numbers are.
//
// RUN: %not %clangxx -std=c++20 -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -std=c++20 -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -x c++ -std=c++20 -O2 -DFIXED -S -emit-llvm %s -o - | FileCheck %s --check-prefix=FIXED

#include <cstring>
#include <vector>

extern int enzyme_dup, enzyme_const;
template <class... A> void __enzyme_autodiff(void *, A...);
struct ompi_predefined_datatype_t;
extern "C" ompi_predefined_datatype_t ompi_mpi_char, ompi_communicator;
extern "C" int MPI_Bcast(void *, int, ompi_predefined_datatype_t *, int, void *);

#ifdef FIXED
// FIXED: call void @cf_v1_mpi_integers(i64 %{{.*}}, i64 8)
static double sums(const double *x, int n) {
  char bytes[64];
  std::memcpy(bytes, &n, sizeof n);
  std::memcpy(bytes + 8, x, 2 * sizeof *x);
  MPI_Bcast(bytes, n, &ompi_mpi_char, 0, &ompi_communicator);
  double taken[2];
  std::memcpy(taken, bytes + 8, sizeof taken);
  return taken[0] * taken[1];
}
#else
static double sums(const double *x, int n) {
  std::vector<char> bytes;
  auto put = [&](const auto &value) {
    auto *begin = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof value);
  };
  put(n);
  for (int i = 0; i < n; ++i)
    put(x[i]);
  // CHECK: error: [CF208] {{.*}}MPI_Bcast moves active floating-point memory as integers
  MPI_Bcast(bytes.data(), static_cast<int>(bytes.size()), &ompi_mpi_char, 0, &ompi_communicator);
  double sum = 0;
  for (std::size_t at = sizeof n; at < bytes.size(); at += sizeof(double)) {
    double value;
    std::memcpy(&value, &bytes[at], sizeof value);
    sum += value * value;
  }
  return sum;
}
#endif

void gradient(const double *x, double *dx, int n) {
  __enzyme_autodiff((void *)sums, enzyme_dup, x, dx, enzyme_const, n);
}
