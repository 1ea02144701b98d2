// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares other forms of the call with the oracle: a tangent in three directions, and
// two adjoints in two calls each, the first of which is reversed first.

#pragma once

#include "Check.h"

extern int enzyme_width, enzyme_tape;

namespace check {

struct Three {
  double d[3];
};

/// One point, with the shadows of as many directions as a call takes.
struct Bundle {
  double x[N], y[N], c[N], xs[3][N], ys[3][N];
  int k[N];
};

inline Bundle bundle(const Data &D) {
  Bundle B = {};
  for (int i = 0; i < N; ++i)
    B.x[i] = D.x[i], B.y[i] = D.y[i], B.c[i] = D.c[i], B.k[i] = D.k[i];
  return B;
}

/// What the tangent in the direction of D is, by the oracle.
struct Expected {
  const Data &D;
  double Result;
  const std::vector<Dual> &y;
};

/// Compares w^T dot with what an adjoint has made of the weights w.
inline void dotProduct(Verdict &V, const char *Name, const char *What, const Bundle &Bars,
                       const double *w, const Expected &E) {
  double Forward = E.Result, Reverse = 0, Terms = std::fabs(E.Result);
  for (int i = 0; i < N; ++i) {
    const double x = Bars.xs[0][i] * E.D.xd[i], y = Bars.ys[0][i] * E.D.yd[i];
    Forward += w[i] * E.y[i].d;
    Reverse += x + y;
    Terms += std::fabs(x) + std::fabs(y) + std::fabs(w[i] * E.y[i].d);
  }
  V.compare(Name, What, Reverse, Forward, Terms);
}

/// Tangents(B) in three directions; Split(A, B): reverses A before B.
template <typename Program, typename Tangents, typename Split>
int runCalls(const char *Name, Program program, Tangents tangents, Split split, Settings S) {
  Verdict V{S.Tolerance};
  const Data D(S.Seed), Directions[3] = {D, Data(S.Seed + 5), Data(S.Seed + 11)};
  std::vector<Dual> y[3];
  double R[3], Size = 0;
  oracle::Wild = false;
  for (int l = 0; l < 3; ++l) {
    std::vector<Dual> x(N), c(N);
    y[l].resize(N);
    for (int i = 0; i < N; ++i)
      x[i] = {D.x[i], Directions[l].xd[i]}, y[l][i] = {D.y[i], Directions[l].yd[i]},
      c[i] = {D.c[i]};
    R[l] = program(x.data(), y[l].data(), c.data(), D.k, N).d;
    Size = std::fmax(Size, std::fabs(R[l]));
    for (const Dual &Y : y[l])
      Size = std::fmax(Size, std::fabs(Y.d));
  }
  if (oracle::Wild || Size > 1e12)
    return 0; // ill-conditioned here

  Bundle T = bundle(D);
  for (int l = 0; l < 3; ++l)
    for (int i = 0; i < N; ++i)
      T.xs[l][i] = Directions[l].xd[i], T.ys[l][i] = Directions[l].yd[i];
  const Three Dots = tangents(T);
  for (int l = 0; l < 3; ++l) {
    V.compare(Name, "tangent of the result in one of three directions", Dots.d[l], R[l], Size);
    for (int i = 0; i < N; ++i)
      V.compare(Name, "tangent of y in one of three directions", T.ys[l][i], y[l][i].d, Size);
  }

  Bundle First = bundle(D), Second = bundle(D);
  for (int i = 0; i < N; ++i)
    First.ys[0][i] = D.w[i], Second.ys[0][i] = Directions[1].w[i];
  split(First, Second);
  const Expected E{D, R[0], y[0]};
  dotProduct(V, Name, "adjoint in two calls", First, D.w, E);
  dotProduct(V, Name, "other adjoint in two calls", Second, Directions[1].w, E);
  for (int i = 0; i < N; ++i)
    V.compare(Name, "y of the augmented primal", First.y[i], y[0][i].v, std::fabs(y[0][i].v));
  return V.Failures;
}

} // namespace check
