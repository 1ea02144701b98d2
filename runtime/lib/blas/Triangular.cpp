// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// B = alpha A B (trmm, trmv) and B = alpha A^-1 B (trsm, trsv, trtrs) with a triangular A. Where A
// is on the right, everything is transposed.
//
//   product:  A' += alpha B' Bold^T     alpha' += <B', A Bold>    B' = alpha A^T B'
//   solution: Z = A^-T B'    A' -= Z X^T    alpha' += <Z, Bold>    B' = alpha Z

#include "blas/Kernels.h"
#include "blas/Record.h"

namespace contraflow::blas {
namespace {

template <typename T> struct Problem {
  Matrix<T> A, B, ABar, BBar;
  Part Stored;
  bool Unit, Solves;
  T Alpha;

  Shape shape() const { return Unit ? Shape::UnitTriangular : Shape::Triangular; }
};

template <typename T> Problem<T> problemOf(const Record<T> &R) {
  Problem<T> P;
  const bool Vector = R.What == R_trmv || R.What == R_trsv;
  const bool Sided = R.What == R_trmm || R.What == R_trsm;
  const char *Flag = R.Flag + Sided; // uplo, trans, diag
  const bool Right = Sided && R.Flag[0] == 'R', Transposed = (Flag[1] == 'T') != Right;
  const int64_t M = R.Size[0], N = Vector ? 1 : R.Size[1], Order = Right ? N : M;
  P.Solves = R.What != R_trmv && R.What != R_trmm;
  P.Alpha = Sided ? R.Scalars[0].Value : T(1);
  P.Unit = Flag[2] == 'U';
  P.Stored = Flag[0] == 'L' ? Part::Lower : Part::Upper;
  P.A = R.matrix(0, Order, Order);
  P.ABar = R.shadow(0, Order, Order);
  P.B = Vector ? R.vector(1, M) : R.matrix(1, M, N);
  P.BBar = Vector ? R.vectorShadow(1, M) : R.shadow(1, M, N);
  if (Right) {
    P.B = P.B.t();
    P.BBar = P.BBar.t();
  }
  if (Transposed) {
    P.A = P.A.t();
    P.ABar = P.ABar.t();
    P.Stored = flipped(P.Stored);
  }
  return P;
}

template <typename T> void before(Record<T> &R) {
  const Problem<T> P = problemOf(R);
  R.Old[0] = R.keepInput(0, P.A);
  if (R.Scalars[0].Derivative || (!P.Solves && P.ABar))
    R.Old[1] = R.keep(P.B);
}

template <typename T> void after(Record<T> &R) {
  const Problem<T> P = problemOf(R);
  if (P.Solves && P.ABar)
    R.New[1] = R.keep(P.B);
}

template <typename T> void tangent(Record<T> &R) {
  const Problem<T> P = problemOf(R);
  if (!P.BBar)
    return;
  Room<T> A(P.A.Rows, P.A.Rows), ADot(P.A.Rows, P.A.Rows), Sum(P.B.Rows, P.B.Columns);
  expand<T>(R.Old[0], P.Stored, P.shape(), A);
  if (P.ABar)
    expandTangent<T>(P.ABar, P.Stored, P.shape(), ADot);
  const T AlphaDot = R.Scalars[0].Derivative ? *R.Scalars[0].Derivative : T(0);
  if (P.Solves) {
    add<T>(Sum, P.BBar, P.Alpha, false);
    if (R.Old[1])
      add<T>(Sum, R.Old[1], AlphaDot, false);
    if (P.ABar)
      multiply<T>(T(-1), ADot, P.B, Sum);
    solve<T>(A, P.Stored, P.Unit, Sum);
  } else {
    if (P.ABar)
      multiply<T>(P.Alpha, ADot, R.Old[1], Sum);
    if (R.Scalars[0].Derivative)
      multiply<T>(AlphaDot, A, R.Old[1], Sum);
    multiply<T>(P.Alpha, A, P.BBar, Sum);
  }
  copy<T>(Sum, P.BBar);
}

template <typename T> void productAdjoint(Record<T> &R, const Problem<T> &P) {
  Room<T> A(P.A.Rows, P.A.Rows), Sum(P.B.Rows, P.B.Columns);
  expand<T>(R.Old[0], P.Stored, P.shape(), A);
  if (R.Scalars[0].Derivative) {
    multiply<T>(T(1), A, R.Old[1], Sum);
    R.addToScalar(0, inner<T>(P.BBar, Sum));
    fill<T>(Sum, T(0));
  }
  if (P.ABar) {
    Room<T> Whole(P.A.Rows, P.A.Rows);
    multiply<T>(P.Alpha, P.BBar, R.Old[1].t(), Whole);
    fold<T>(Whole, P.Stored, P.shape(), P.ABar, R.Atomic);
  }
  multiply<T>(P.Alpha, A.t(), P.BBar, Sum);
  copy<T>(Sum, P.BBar);
}

template <typename T> void solutionAdjoint(Record<T> &R, const Problem<T> &P) {
  solve(R.Old[0].t(), flipped(P.Stored), P.Unit, P.BBar);
  if (R.Scalars[0].Derivative)
    R.addToScalar(0, inner(P.BBar, R.Old[1]));
  if (P.ABar) {
    Room<T> Whole(P.A.Rows, P.A.Rows);
    multiply<T>(T(-1), P.BBar, R.New[1].t(), Whole);
    fold<T>(Whole, P.Stored, P.shape(), P.ABar, R.Atomic);
  }
  scale(P.BBar, P.Alpha);
}

template <typename T> void adjoint(Record<T> &R) {
  const Problem<T> P = problemOf(R);
  if (!P.BBar)
    return;
  if (P.Solves)
    solutionAdjoint(R, P);
  else
    productAdjoint(R, P);
}

} // namespace

template <typename T> Family<T> triangularFamily(int32_t) {
  return {before<T>, after<T>, tangent<T>, adjoint<T>};
}

#define CF_FAMILY(T) template Family<T> triangularFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
