// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of derivatives of atomic operations where destructors wait for what is thrown: what
// keeps them in order is there once.
#include "Hessian.h"

#include <atomic>
#include <cmath>

namespace {

enum { n = 6 };

std::atomic<int> Users{0};

struct User {
  double *Weight;
  explicit User(double First) : Weight(new double(First)) { Users.fetch_add(1); }
  ~User() {
    if (Users.fetch_sub(1) == 1)
      delete Weight;
  }
};

double owned(const double *X) {
  User Owner(X[0]);
  double Sum = 0;
#pragma omp parallel for reduction(+ : Sum)
  for (int I = 0; I < n; ++I)
    Sum += std::sin(X[I] * *Owner.Weight);
  if (Users.load() != 1)
    throw Sum;
  return Sum * *Owner.Weight;
}

HESSIAN(owned)

} // namespace
