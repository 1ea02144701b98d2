// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gels: the factors of the matrix or of its transpose, whichever is tall (p x q), and what it does
// with them. The derivatives are those of these steps, so that they hold for the factors and for
// what is left of the residual as well.
//
//   more equations:  B := Q^T B, X = R^-1 B         R' -= G X^T with G = R^-T X'
//   more unknowns:   Y = R^-T B, X := Q (Y, 0)      R' -= Y G^T with G = R^-1 Y'

#include "blas/Kernels.h"
#include "blas/Record.h"
#include "blas/Reflectors.h"

namespace contraflow::blas {
namespace {

template <typename T> struct Problem {
  int64_t M, N, P, Q, Columns;
  bool Overdetermined;

  explicit Problem(const Record<T> &R)
      : M(R.Size[0]), N(R.Size[1]), P(std::max(M, N)), Q(std::min(M, N)), Columns(R.Size[2]),
        Overdetermined((R.Flag[0] == 'N') == (M >= N)) {}
  /// Then the routine sets B to zero and does nothing else.
  bool isEmpty() const { return Q == 0 || Columns == 0; }
  Matrix<T> tall(Matrix<T> A) const { return M >= N ? A : A.t(); }
};

/// gels keeps no factors tau, but a reflection has only one.
template <typename T> void findTau(Matrix<T> Stored, Matrix<T> Tau) {
  for (int64_t I = 0; I < Tau.Rows; ++I) {
    const Matrix<T> Below = Stored.block(I + 1, I, Stored.Rows - I - 1, 1);
    const T Square = inner(Below, Below);
    Tau(I, 0) = Square == T(0) ? T(0) : T(2) / (T(1) + Square);
  }
}

template <typename T> void before(Record<T> &R) {
  const Problem<T> S(R);
  if (!R.Tangent)
    return;
  R.Old[0] = R.keep(R.matrix(0, S.M, S.N));
  R.Old[1] = R.keep(R.matrix(1, S.P, S.Columns));
}

template <typename T> void after(Record<T> &R) {
  const Problem<T> S(R);
  auto Keep = [&](Matrix<T> M) { return R.Tangent ? M : R.keep(M); };
  R.New[0] = Keep(R.matrix(0, S.M, S.N));
  R.New[1] = Keep(R.matrix(1, S.P, S.Columns));
}

template <typename T> void tangent(Record<T> &R) {
  const Problem<T> S(R);
  const Matrix<T> Stored = S.tall(R.New[0]), U = Stored.block(0, 0, S.Q, S.Q), X = R.New[1];
  const Matrix<T> ADot = S.tall(R.shadow(0, S.M, S.N)), BDot = R.shadow(1, S.P, S.Columns);
  if (S.isEmpty())
    return BDot ? fill(BDot, T(0)) : void();
  Room<T> Tau(S.Q, 1), TauDot(S.Q, 1), StoredDot(S.P, S.Q), UDot(S.Q, S.Q);
  findTau<T>(Stored, Tau);
  const Reflectors<T> Q{Stored, Tau, !S.Overdetermined};
  if (ADot) {
    copy<T>(ADot, StoredDot);
    factorTangent<T>(Q, S.tall(R.Old[0]), StoredDot, TauDot);
    copy<T>(StoredDot, ADot);
  }
  copy<T>(StoredDot.block(0, 0, S.Q, S.Q), UDot, Part::Upper);
  if (!BDot)
    return;
  Room<T> C(S.P, S.Columns), CDot(S.P, S.Columns);
  const int64_t Given = S.Overdetermined ? S.P : S.Q;
  copy<T>(R.Old[1], C.block(0, 0, Given, S.Columns));
  copy<T>(BDot, CDot.block(0, 0, Given, S.Columns));
  const Matrix<T> Top = C.block(0, 0, S.Q, S.Columns), TopDot = CDot.block(0, 0, S.Q, S.Columns);
  if (!S.Overdetermined) {
    solve(U.t(), Part::Lower, false, Top);
    multiply<T>(T(-1), UDot.t(), Top, TopDot);
    solve(U.t(), Part::Lower, false, TopDot);
  }
  applyTangent<T>(Q, StoredDot, TauDot, C, CDot);
  if (S.Overdetermined) {
    multiply<T>(T(-1), UDot, X.block(0, 0, S.Q, S.Columns), TopDot);
    solve(U, Part::Upper, false, TopDot);
  }
  copy<T>(CDot, BDot);
}

template <typename T> void adjoint(Record<T> &R) {
  const Problem<T> S(R);
  const Matrix<T> Stored = S.tall(R.New[0]), U = Stored.block(0, 0, S.Q, S.Q), X = R.New[1];
  const Matrix<T> ABar = S.tall(R.shadow(0, S.M, S.N)), BBar = R.shadow(1, S.P, S.Columns);
  if (S.isEmpty())
    return BBar ? fill(BBar, T(0)) : void();
  Room<T> Tau(S.Q, 1), TauBar(S.Q, 1), StoredBar(S.P, S.Q), UBar(S.Q, S.Q);
  Room<T> C(S.P, S.Columns), CBar(S.P, S.Columns);
  findTau<T>(Stored, Tau);
  const Reflectors<T> Q{Stored, Tau, !S.Overdetermined};
  copy<T>(X, C);
  if (BBar)
    copy<T>(BBar, CBar);
  const Matrix<T> Top = C.block(0, 0, S.Q, S.Columns), TopBar = CBar.block(0, 0, S.Q, S.Columns);
  if (S.Overdetermined) {
    Room<T> Z(S.Q, S.Columns), Triangle(S.Q, S.Q);
    expand<T>(U, Part::Upper, Shape::Triangular, Triangle);
    multiply<T>(T(1), Triangle, Top, Z);
    solve(U.t(), Part::Lower, false, TopBar);
    multiply<T>(T(-1), TopBar, Top.t(), UBar);
    copy<T>(Z, Top);
  }
  applyAdjoint<T>(Q, C, CBar, StoredBar, TauBar);
  if (!S.Overdetermined) {
    solve(U, Part::Upper, false, TopBar);
    multiply<T>(T(-1), Top, TopBar.t(), UBar);
    fill(CBar.block(S.Q, 0, S.P - S.Q, S.Columns), T(0)); // overwritten
  }
  if (BBar)
    copy<T>(CBar, BBar);
  if (!ABar)
    return;
  add<T>(ABar, StoredBar, T(1), false);
  add<T>(ABar.block(0, 0, S.Q, S.Q), UBar, T(1), false, Part::Upper);
  factorAdjoint<T>(Q, ABar, TauBar);
}

} // namespace

template <typename T> Family<T> leastSquaresFamily(int32_t) {
  return {before<T>, after<T>, tangent<T>, adjoint<T>};
}

#define CF_FAMILY(T) template Family<T> leastSquaresFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
