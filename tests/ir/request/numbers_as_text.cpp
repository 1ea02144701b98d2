// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Active numbers that travel as characters: a program in which some do says so to the runtime when
// it starts, whatever the datatype is called by; one that sends nothing but text says nothing, and
// its text has no shadow. Reductions take characters for integers.
//
// RUN: %clangxx -std=c++20 -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=BYTES
// RUN: %clangxx -std=c++20 -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=BYTES
// RUN: %clangxx -std=c++20 -O2 -DNAMED -S -emit-llvm %s -o - | FileCheck %s --check-prefix=BYTES
// RUN: %clangxx -std=c++20 -O0 -DTEXT -S -emit-llvm %s -o - | FileCheck %s --check-prefix=TEXT
// RUN: %clangxx -std=c++20 -O2 -DTEXT -S -emit-llvm %s -o - | FileCheck %s --check-prefix=TEXT
// RUN: %not %clangxx -std=c++20 -O2 -DREDUCED -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REDUCED
// RUN: %clangxx -std=c++20 -O2 -DINTEGERS -S -emit-llvm %s -o - | FileCheck %s --check-prefix=INTEGERS

#include <cstring>
#include <vector>

extern int enzyme_dup, enzyme_const;
template <class... A> void __enzyme_autodiff(void *, A...);
struct ompi_predefined_datatype_t;
using Type = ompi_predefined_datatype_t *;
extern "C" ompi_predefined_datatype_t ompi_mpi_char, ompi_mpi_int, ompi_mpi_op_sum,
    ompi_communicator;
extern "C" int MPI_Bcast(void *, int, Type, int, void *);
extern "C" int MPI_Allreduce(const void *, void *, int, Type, void *, void *);
extern "C" int MPI_Type_contiguous(int, Type, Type *);

// BYTES: define internal void @cf.mpi.characters()
// BYTES: call void @cf_v1_mpi_characters()
#if defined(TEXT)
// TEXT-NOT: cf_v1_mpi_characters
// TEXT: call i32 @cf_v1_mpi_bcast_augment({{.*}}, ptr null,
// TEXT-NOT: cf_v1_mpi_characters
static double sums(const double *x, int n) {
  char title[64] = "";
  for (int i = 0; i < n; ++i)
    title[i] = static_cast<char>('a' + i);
  MPI_Bcast(title, 64, &ompi_mpi_char, 0, &ompi_communicator);
  return x[0] * static_cast<double>(std::strlen(title));
}
#elif defined(REDUCED)
static double sums(const double *x, int n) {
  double y[4] = {x[0], x[1], x[2], x[3]}, z[4];
  // REDUCED: error: [CF208] {{.*}}MPI_Allreduce moves active floating-point memory as integers
  MPI_Allreduce(y, z, n, &ompi_mpi_char, &ompi_mpi_op_sum, &ompi_communicator);
  return z[0] * z[1];
}
#elif defined(INTEGERS)
// INTEGERS: call void @cf_v1_mpi_integers(i64 %{{.*}}, i64 8)
static double sums(const double *x, int n) {
  char bytes[64];
  std::memcpy(bytes, &n, sizeof n);
  std::memcpy(bytes + 8, x, 2 * sizeof *x);
  MPI_Bcast(bytes, n, &ompi_mpi_int, 0, &ompi_communicator);
  double taken[2];
  std::memcpy(taken, bytes + 8, sizeof taken);
  return taken[0] * taken[1];
}
#elif defined(NAMED)
static double sums(const double *x, int n) {
  double y[4] = {x[0], x[1], x[2], x[3]};
  Type type;
  MPI_Type_contiguous(sizeof *y, &ompi_mpi_char, &type);
  MPI_Bcast(y, n, type, 0, &ompi_communicator);
  return y[0] * y[1];
}
#else
static double sums(const double *x, int n) {
  std::vector<char> bytes;
  auto put = [&](const auto &value) {
    auto *begin = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof value);
  };
  put(static_cast<long>(n));
  for (int i = 0; i < n; ++i)
    put(x[i]);
  MPI_Bcast(bytes.data(), static_cast<int>(bytes.size()), &ompi_mpi_char, 0, &ompi_communicator);
  double sum = 0;
  for (std::size_t at = sizeof(long); at < bytes.size(); at += sizeof(double)) {
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
