// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sanitizers are told where objects end and where control does not come back: derivatives tell
// nobody.
//
// RUN: %clangxx -O0 -fsanitize=memory -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -fsanitize=memory -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O1 -fsanitize=address,undefined -S -emit-llvm %s -o - | FileCheck %s
#include <future>

double __enzyme_autodiff(void *, ...);

struct Owner {
  double *values;
  explicit Owner(double x) : values(new double(x)) {}
  ~Owner() { delete values; }
};

static double product(double x) {
  Owner o(x);
  auto square = std::async(std::launch::async, [x] { return x * x; });
  return square.get() * *o.values;
}

// CHECK: define {{.*}}slope
double slope(double x) { return __enzyme_autodiff((void *)product, x); }
