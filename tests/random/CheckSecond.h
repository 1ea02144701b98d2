// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares derivatives of derivatives of a random program with the oracle, nested duals: for two
// directions a and b the derivative along b of that along a, of the result and of every y. With
// weights w for these, it is what the tangent of the adjoint, and the adjoint of the tangent, give
// for b as well.

#pragma once

#include "Check.h"

extern int enzyme_width;

namespace check {

using oracle::Second;

/// What the derivatives of a program are asked for with; the last pointers are shadows of what is
/// before them.
struct Twice {
  double x[N], xa[N], xb[N], xab[N], y[N], ya[N], yb[N], yab[N], c[N];
  int k[N];
};

/// a is the direction of D; b has one of its own.
inline Twice along(const Data &D, unsigned long Seed, double *b_of_x, double *b_of_y) {
  Twice T = {};
  const Data Other(Seed + 17);
  for (int i = 0; i < N; ++i) {
    T.x[i] = D.x[i], T.y[i] = D.y[i], T.c[i] = D.c[i], T.k[i] = D.k[i];
    b_of_x[i] = Other.xd[i], b_of_y[i] = Other.yd[i];
  }
  return T;
}

/// Tangent(T): of the tangent. Gradient(T): tangent of the adjoint. Adjoint(T): adjoint of the
/// tangent.
template <typename Program, typename Tangent, typename Gradient, typename Adjoint>
int runTwice(const char *Name, Program program, Tangent tangent, Gradient gradient, Adjoint adjoint,
             Settings S) {
  Verdict V{S.Tolerance};
  const Data D(S.Seed);
  double bx[N], by[N];
  const Twice Start = along(D, S.Seed, bx, by);
  std::vector<Second> x(N), y(N), c(N);
  for (int i = 0; i < N; ++i)
    x[i] = {{D.x[i], D.xd[i]}, {bx[i], 0}}, y[i] = {{D.y[i], D.yd[i]}, {by[i], 0}}, c[i] = {D.c[i]};
  oracle::Wild = false;
  const Second R = program(x.data(), y.data(), c.data(), D.k, N);
  double Size = std::fabs(R.v.v) + std::fabs(R.d.d) + std::fabs(R.v.d * R.d.v), Wanted = R.d.d;
  for (int i = 0; i < N; ++i) {
    Size = std::fmax(Size, std::fabs(y[i].d.d) + std::fabs(y[i].v.d * y[i].d.v));
    Wanted += D.w[i] * y[i].d.d;
  }
  if (oracle::Wild || Size > 1e10)
    return 0; // ill-conditioned here

  Twice T = Start;
  for (int i = 0; i < N; ++i)
    T.xa[i] = D.xd[i], T.ya[i] = D.yd[i], T.xb[i] = bx[i], T.yb[i] = by[i];
  V.compare(Name, "tangent of the tangent", tangent(T), R.d.d, Size);
  for (int i = 0; i < N; ++i)
    V.compare(Name, "tangent of the tangent of y", T.yab[i], y[i].d.d, Size);

  // xa, ya: adjoints; xb, yb: directions; xab, yab: tangents of the adjoints.
  Twice G = Start;
  for (int i = 0; i < N; ++i)
    G.xb[i] = D.xd[i], G.yb[i] = D.yd[i], G.ya[i] = D.w[i];
  gradient(G);
  double Reverse = 0, Terms = Size;
  for (int i = 0; i < N; ++i) {
    Reverse += G.xab[i] * bx[i] + G.yab[i] * by[i];
    Terms += std::fabs(G.xab[i] * bx[i]) + std::fabs(G.yab[i] * by[i]);
  }
  V.compare(Name, "tangent of the adjoint", Reverse, Wanted, Terms);

  // xa, ya: directions; xb, yb: adjoints of x and y; xab, yab: those of the directions.
  Twice A = Start;
  for (int i = 0; i < N; ++i)
    A.xa[i] = D.xd[i], A.ya[i] = D.yd[i], A.yab[i] = D.w[i];
  adjoint(A);
  Reverse = 0, Terms = Size;
  for (int i = 0; i < N; ++i) {
    Reverse += A.xb[i] * bx[i] + A.yb[i] * by[i];
    Terms += std::fabs(A.xb[i] * bx[i]) + std::fabs(A.yb[i] * by[i]);
  }
  V.compare(Name, "adjoint of the tangent", Reverse, Wanted, Terms);
  return V.Failures;
}

} // namespace check
