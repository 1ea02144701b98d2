// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of derivatives of atomic operations where destructors wait for what is thrown: what
// keeps them in order is there once. And what is thrown in them.
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

struct Carried {
  double Numbers[20];
};

/// The shadow of what is thrown lies behind it, and has a shadow again; the next one is beside it.
double thrown(const double *X) {
  double Sum = 0;
#pragma omp parallel for reduction(+ : Sum)
  for (int I = 0; I < n; ++I)
    try {
      Carried First;
      for (double &Number : First.Numbers)
        Number = X[I] * X[I];
      throw First;
    } catch (const Carried &First) {
      try {
        Carried Second = First;
        for (double &Number : Second.Numbers)
          Number *= X[0];
        throw Second;
      } catch (const Carried &Second) {
        for (int K = 0; K < 20; ++K)
          Sum += std::sin(First.Numbers[K] * Second.Numbers[19 - K]);
      }
    }
  return Sum;
}

HESSIAN(thrown)

} // namespace

SLOPE(thrown)
