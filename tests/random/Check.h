// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the tangent and the adjoint of a random program with the oracle. A program is
//   real program(const real *x, real *y, const real *c, const int *k, int n)
// compiled once with doubles and once with duals; x and y are active, c and k constant.

#pragma once

#include "Dual.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern int enzyme_dup, enzyme_const;

namespace check {

using oracle::Dual;

constexpr int N = 12;

inline double uniform(unsigned long &State) {
  State = State * 6364136223846793005ul + 1442695040888963407ul;
  return static_cast<double>(State >> 11) / 9007199254740992.0 * 2 - 1;
}

struct Data {
  double x[N], y[N], c[N], xd[N], yd[N], w[N];
  int k[N];
  explicit Data(unsigned long Seed) {
    for (int i = 0; i < N; ++i) {
      x[i] = 0.3 + 0.7 * uniform(Seed), y[i] = uniform(Seed), c[i] = uniform(Seed);
      xd[i] = uniform(Seed), yd[i] = uniform(Seed), w[i] = uniform(Seed);
      k[i] = static_cast<int>((uniform(Seed) + 1) * 0.5 * N) % N;
    }
  }
};

struct Settings {
  unsigned long Seed;
  double Tolerance = 1e-9; ///< relative
};

struct Verdict {
  double Tolerance = 1e-9; ///< relative
  int Failures = 0;
  void compare(const char *Name, const char *What, double Got, double Wanted, double Size) {
    if (std::fabs(Got - Wanted) <= Tolerance * (Size + std::fabs(Wanted)) + 1e-13)
      return;
    std::printf("WRONG %s %s: %.15g instead of %.15g\n", Name, What, Got, Wanted);
    ++Failures;
  }
};

template <typename Program, typename Primal, typename Tangent, typename Adjoint>
int run(const char *Name, Program program, Primal primal, Tangent tangent, Adjoint adjoint,
        Settings S) {
  Verdict V{S.Tolerance};
  const Data D(S.Seed);
  std::vector<Dual> x(N), y(N), c(N);
  for (int i = 0; i < N; ++i)
    x[i] = {D.x[i], D.xd[i]}, y[i] = {D.y[i], D.yd[i]}, c[i] = {D.c[i]};
  oracle::Wild = false;
  const Dual R = program(x.data(), y.data(), c.data(), D.k, N);
  double Size = std::fabs(R.d);
  for (const Dual &Y : y)
    Size = std::fmax(Size, std::fabs(Y.d));
  if (oracle::Wild || Size > 1e12)
    return 0; // ill-conditioned here

  Data P = D;
  V.compare(Name, "primal", primal(P.x, P.y, P.c, P.k, N), R.v, std::fabs(R.v));
  Data T = D;
  V.compare(Name, "tangent of the result", tangent(T.x, T.xd, T.y, T.yd, T.c, T.k, N), R.d, Size);
  for (int i = 0; i < N; ++i) {
    V.compare(Name, "tangent of y", T.yd[i], y[i].d, Size);
    V.compare(Name, "y of the tangent", T.y[i], y[i].v, std::fabs(y[i].v));
  }
  Data A = D;
  double xb[N] = {}, yb[N], Forward = R.d, Reverse = 0, Terms = std::fabs(R.d);
  for (int i = 0; i < N; ++i)
    yb[i] = D.w[i];
  adjoint(A.x, xb, A.y, yb, A.c, A.k, N);
  for (int i = 0; i < N; ++i) {
    Forward += D.w[i] * y[i].d;
    Reverse += xb[i] * D.xd[i] + yb[i] * D.yd[i];
    Terms += std::fabs(xb[i] * D.xd[i]) + std::fabs(yb[i] * D.yd[i]) + std::fabs(D.w[i] * y[i].d);
    V.compare(Name, "y of the adjoint", A.y[i], y[i].v, std::fabs(y[i].v));
  }
  V.compare(Name, "dot product", Reverse, Forward, Terms);
  return V.Failures;
}

} // namespace check
