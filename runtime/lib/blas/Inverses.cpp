// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inverses in place: of a triangular matrix (trtri), by factors LU (getri) and by a factor of
// Cholesky (potri). X is the inverse of M, X' its seed:
//
//   M' = -X^T X' X^T        getri  M = P^T L U   L' = M' U^T, U' = L^T M', after P has been taken
//   away
//                           potri  M = L L^T     L' = 2 M' L, X' made symmetric

#include "blas/Kernels.h"
#include "blas/Record.h"

namespace contraflow::blas {
namespace {

template <typename T> bool isLower(const Record<T> &R) { return R.Flag[0] == 'L'; }

/// As a lower matrix: an upper one is the transpose of one. Factors LU lie as they are.
template <typename T> Matrix<T> asLower(const Record<T> &R, Matrix<T> M) {
  return R.What == R_getri || isLower(R) ? M : M.t();
}
template <typename T> Shape shapeOf(const Record<T> &R) {
  return R.What == R_trtri && R.Flag[1] == 'U' ? Shape::UnitTriangular : Shape::Triangular;
}

/// Middle = -Left Right Left (the transposes of X for an adjoint).
template <typename T> void between(Matrix<T> Left, Matrix<T> Right, Matrix<T> Middle) {
  Room<T> Half(Left.Rows, Left.Rows);
  multiply<T>(T(1), Left, Right, Half);
  multiply<T>(T(-1), Half, Left, Middle);
}

/// X = (L U)^-1 P: takes P away, or puts it there.
template <typename T> void interchangeColumns(const Record<T> &R, Matrix<T> M, bool Away) {
  if (R.What == R_getri)
    interchange(M.t(), R.Pivots, M.Rows, Away);
}

template <typename T> void before(Record<T> &R) {
  const int64_t N = R.Size[0];
  if (R.What == R_getri)
    R.keepPivots(N);
  if (R.What != R_trtri)
    R.Old[0] = R.keep(R.matrix(0, N, N));
}

template <typename T> void after(Record<T> &R) {
  const int64_t N = R.Size[0];
  R.New[0] = R.Tangent ? R.matrix(0, N, N) : R.keep(R.matrix(0, N, N));
}

/// The inverse in full, without the interchanges of getri.
template <typename T> struct Inverse : Room<T> {
  explicit Inverse(const Record<T> &R) : Room<T>(R.Size[0], R.Size[0]) {
    const Matrix<T> X = asLower(R, R.New[0]);
    if (R.What == R_getri)
      copy<T>(X, *this);
    else
      expand<T>(X, Part::Lower, R.What == R_potri ? Shape::Symmetric : shapeOf(R), *this);
    interchangeColumns<T>(R, *this, true);
  }
};

template <typename T> struct Factor {
  Room<T> L, U; ///< U: the transpose of L, but for LU

  explicit Factor(const Record<T> &R) : Factor(R, R.Old[0], true) {}
  Factor(const Record<T> &R, Matrix<T> Stored, bool Ones)
      : L(R.Size[0], R.Size[0]), U(R.Size[0], R.Size[0]) {
    const bool LU = R.What == R_getri;
    expand<T>(asLower(R, Stored), Part::Lower,
              LU && Ones ? Shape::UnitTriangular : Shape::Triangular, L);
    for (int64_t I = 0; LU && !Ones && I < L.Rows; ++I)
      L(I, I) = 0;
    copy<T>(LU ? Stored : L.t(), U, Part::Upper);
  }
};

template <typename T> void tangent(Record<T> &R) {
  const int64_t N = R.Size[0];
  const Matrix<T> Dot = R.shadow(0, N, N);
  if (!Dot)
    return;
  const Inverse<T> X(R);
  Room<T> MDot(N, N), XDot(N, N);
  if (R.What == R_trtri) {
    expandTangent<T>(asLower(R, Dot), Part::Lower, shapeOf(R), MDot);
  } else {
    const Factor<T> F(R), FDot(R, Dot, false);
    multiply<T>(T(1), FDot.L, F.U, MDot);
    multiply<T>(T(1), F.L, FDot.U, MDot);
  }
  between<T>(X, MDot, XDot);
  interchangeColumns<T>(R, XDot, false);
  if (R.What == R_getri)
    return copy<T>(XDot, Dot);
  if (shapeOf(R) == Shape::UnitTriangular)
    for (int64_t I = 0; I < N; ++I)
      XDot(I, I) = asLower(R, Dot)(I, I); // is neither read nor written
  copy<T>(XDot, asLower(R, Dot), Part::Lower);
}

/// The seed of the whole inverse, without interchanges.
template <typename T> void seedOf(const Record<T> &R, Matrix<T> Bar, Matrix<T> Seed) {
  if (R.What == R_getri)
    copy<T>(Bar, Seed);
  else
    expandTangent<T>(asLower(R, Bar), Part::Lower, shapeOf(R), Seed);
  if (R.What == R_potri)
    each(Seed.Rows, Seed.Columns, Part::Lower, [&](int64_t I, int64_t J) {
      if (I != J)
        Seed(I, J) = Seed(J, I) = Seed(I, J) / T(2);
    });
  interchangeColumns<T>(R, Seed, true);
}

template <typename T> void luAdjoint(const Record<T> &R, Matrix<T> MBar, Matrix<T> Bar) {
  const Factor<T> F(R);
  Room<T> LBar(MBar.Rows, MBar.Rows), UBar(MBar.Rows, MBar.Rows);
  multiply<T>(T(1), MBar, F.U.t(), LBar);
  multiply<T>(T(1), F.L.t(), MBar, UBar);
  copy<T>(LBar, Bar, Part::Lower);
  copy<T>(UBar, Bar, Part::Upper); // the diagonal, too
}

template <typename T> void adjoint(Record<T> &R) {
  const int64_t N = R.Size[0];
  const Matrix<T> Bar = R.shadow(0, N, N);
  if (!Bar)
    return;
  const Inverse<T> X(R);
  Room<T> Seed(N, N), MBar(N, N);
  seedOf<T>(R, Bar, Seed);
  between<T>(X.t(), Seed, MBar);
  if (R.What == R_getri)
    return luAdjoint<T>(R, MBar, Bar);
  const Matrix<T> To = asLower(R, Bar);
  if (R.What == R_potri) {
    Room<T> LBar(N, N);
    multiply<T>(T(2), MBar, Factor<T>(R).L, LBar);
    return copy<T>(LBar, To, Part::Lower);
  }
  if (shapeOf(R) == Shape::UnitTriangular)
    for (int64_t I = 0; I < N; ++I)
      MBar(I, I) = To(I, I);
  copy<T>(MBar, To, Part::Lower);
}

} // namespace

template <typename T> Family<T> inverseFamily(int32_t) {
  return {before<T>, after<T>, tangent<T>, adjoint<T>};
}

#define CF_FAMILY(T) template Family<T> inverseFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
