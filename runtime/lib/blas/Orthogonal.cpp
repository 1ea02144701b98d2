// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// geqrf and what applies its reflectors (Reflectors.h); gelqf and the like are the same of the
// transpose, whose reflectors are rows.
//
// syev: A = V W V^T, F(i, j) = 1 / (w_j - w_i):   A' = V (diag(w') + F * (V^T V')) V^T

#include "blas/Kernels.h"
#include "blas/Record.h"
#include "blas/Reflectors.h"

namespace contraflow::blas {
namespace {

// ormqr, orgqr, ormlq, orglq

template <typename T> struct Application {
  Matrix<T> Reflectors, Tau, ReflectorsBar, TauBar;
  Matrix<T> C, CBar;
  int64_t Count;
  bool LastFirst; ///< Q C; else Q^T C
};

template <typename T> Application<T> applicationOf(const Record<T> &R) {
  Application<T> A;
  A.Count = R.Size[2];
  A.Tau = R.vector(1, A.Count);
  A.TauBar = R.vectorShadow(1, A.Count);
  if (R.What == R_orglq) { // of the transpose
    const Matrix<T> All = R.matrix(0, R.Size[0], R.Size[1]),
                    Bar = R.shadow(0, R.Size[0], R.Size[1]);
    A.Reflectors = All.block(0, 0, A.Count, R.Size[1]).t();
    A.ReflectorsBar = Bar.block(0, 0, A.Count, R.Size[1]).t();
    A.C = All.t();
    A.CBar = Bar.t();
    A.LastFirst = true;
    return A;
  }
  if (R.What == R_orgqr) { // reflectors and C are one array
    A.Reflectors = R.matrix(0, R.Size[0], A.Count);
    A.ReflectorsBar = R.shadow(0, R.Size[0], A.Count);
    A.C = R.matrix(0, R.Size[0], R.Size[1]);
    A.CBar = R.shadow(0, R.Size[0], R.Size[1]);
    A.LastFirst = true;
    return A;
  }
  const bool Right = R.Flag[0] == 'R', Rows = R.What == R_ormlq; // reflectors are rows
  const int64_t M = R.Size[0], N = R.Size[1], Length = Right ? N : M;
  A.Reflectors = Rows ? R.matrix(0, A.Count, Length).t() : R.matrix(0, Length, A.Count);
  A.ReflectorsBar = Rows ? R.shadow(0, A.Count, Length).t() : R.shadow(0, Length, A.Count);
  A.C = Right ? R.matrix(2, M, N).t() : R.matrix(2, M, N);
  A.CBar = Right ? R.shadow(2, M, N).t() : R.shadow(2, M, N);
  A.LastFirst = ((R.Flag[1] == 'T') != Rows) == Right;
  return A;
}

/// Reflectors become the matrix that they are the factors of.
template <typename T> bool makesQ(const Record<T> &R) {
  return R.What == R_orgqr || R.What == R_orglq;
}

template <typename T> void applicationBefore(Record<T> &R) {
  const Application<T> A = applicationOf(R);
  R.Old[0] = makesQ(R) ? R.keep(A.Reflectors) : R.keepInput(0, A.Reflectors);
  R.Old[1] = R.keepInput(1, A.Tau);
  if (R.Tangent && !makesQ(R))
    R.Old[2] = R.keep(A.C);
}

template <typename T> void applicationAfter(Record<T> &R) {
  const Application<T> A = applicationOf(R);
  if (!R.Tangent && (A.ReflectorsBar || A.TauBar))
    R.New[2] = R.keep(A.C);
}

template <typename T> void applicationTangent(Record<T> &R) {
  const Application<T> A = applicationOf(R);
  if (!A.CBar)
    return;
  Room<T> C(A.C.Rows, A.C.Columns), CDot(A.C.Rows, A.C.Columns);
  if (!makesQ(R)) {
    copy<T>(R.Old[2], C);
    copy<T>(A.CBar, CDot);
  } else {
    for (int64_t I = 0; I < C.Columns; ++I)
      C(I, I) = 1;
  }
  applyTangent<T>({R.Old[0], R.Old[1], A.LastFirst}, A.ReflectorsBar, A.TauBar, C, CDot);
  copy<T>(CDot, A.CBar);
}

template <typename T> void applicationAdjoint(Record<T> &R) {
  const Application<T> A = applicationOf(R);
  if (!A.CBar)
    return;
  Room<T> C(A.C.Rows, A.C.Columns), CBar(A.C.Rows, A.C.Columns);
  Room<T> Found(A.Reflectors.Rows, A.Count), TauFound(A.Count, 1);
  if (R.New[2])
    copy<T>(R.New[2], C);
  copy<T>(A.CBar, CBar);
  applyAdjoint<T>({R.Old[0], R.Old[1], A.LastFirst}, C, CBar, Found, TauFound);
  if (A.TauBar)
    add<T>(A.TauBar, TauFound, T(1), R.Atomic);
  if (makesQ(R)) {
    fill(A.CBar, T(0));
    add<T>(A.ReflectorsBar, Found, T(1), false);
    return;
  }
  copy<T>(CBar, A.CBar);
  if (A.ReflectorsBar)
    add<T>(A.ReflectorsBar, Found, T(1), R.Atomic);
}

// geqrf, gelqf

/// gelqf is geqrf of the transpose.
template <typename T> Matrix<T> tall(const Record<T> &R, Matrix<T> M) {
  return R.What == R_gelqf ? M.t() : M;
}

template <typename T> void qrBefore(Record<T> &R) {
  if (R.Tangent)
    R.Old[0] = R.keep(R.matrix(0, R.Size[0], R.Size[1]));
}

template <typename T> void qrAfter(Record<T> &R) {
  const Matrix<T> A = R.matrix(0, R.Size[0], R.Size[1]);
  const Matrix<T> Tau = R.vector(1, std::min(A.Rows, A.Columns));
  R.New[0] = R.Tangent ? A : R.keep(A);
  R.New[1] = R.Tangent ? Tau : R.keep(Tau);
}

template <typename T> void qrTangent(Record<T> &R) {
  const Matrix<T> Dot = tall(R, R.shadow(0, R.Size[0], R.Size[1]));
  if (Dot)
    factorTangent<T>({tall(R, R.New[0]), R.New[1]}, tall(R, R.Old[0]), Dot,
                     R.vectorShadow(1, R.New[1].Rows));
}

template <typename T> void qrAdjoint(Record<T> &R) {
  const Matrix<T> Bar = tall(R, R.shadow(0, R.Size[0], R.Size[1]));
  if (!Bar)
    return;
  const Matrix<T> TauBars = R.vectorShadow(1, R.New[1].Rows);
  factorAdjoint<T>({tall(R, R.New[0]), R.New[1]}, Bar, TauBars);
  if (TauBars)
    fill(TauBars, T(0));
}

// syev

template <typename T> bool wantsVectors(const Record<T> &R) { return R.Flag[0] == 'V'; }
template <typename T> Part storedPart(const Record<T> &R) {
  return R.Flag[1] == 'L' ? Part::Lower : Part::Upper;
}

template <typename T> void eigenBefore(Record<T> &R) {
  if (!wantsVectors(R))
    R.Old[0] = R.keep(R.matrix(0, R.Size[0], R.Size[0]));
}

template <typename T> void eigenAfter(Record<T> &R) {
  const int64_t N = R.Size[0];
  auto Keep = [&](Matrix<T> M) { return R.Tangent ? M : R.keep(M); };
  R.New[1] = Keep(R.vector(1, N));
  if (wantsVectors(R))
    R.New[0] = Keep(R.matrix(0, N, N));
}

template <typename T> struct Eigen {
  int64_t N;
  Room<T> Values, Vectors;

  explicit Eigen(const Record<T> &R) : N(R.Size[0]), Values(N, 1), Vectors(N, N) {
    if (wantsVectors(R)) {
      copy<T>(R.New[0], Vectors);
    } else {
      Room<T> A(N, N);
      expand<T>(R.Old[0], storedPart(R), Shape::Symmetric, A);
      eigenvectors<T>(A, Values, Vectors);
    }
    copy<T>(R.New[1], Values);
  }
  /// M(i, j) / (w_j - w_i): nothing where there is nothing to divide.
  void divide(Matrix<T> M) const {
    each(N, N, Part::All, [&](int64_t I, int64_t J) {
      if (I != J && M(I, J) != T(0))
        M(I, J) /= Values(J, 0) - Values(I, 0);
    });
  }
};

template <typename T> void eigenTangent(Record<T> &R) {
  const Eigen<T> E(R);
  const int64_t N = E.N;
  const Matrix<T> Dot = R.shadow(0, N, N), ValueDots = R.vectorShadow(1, N);
  Room<T> Full(N, N), Half(N, N), Middle(N, N);
  if (Dot)
    expand<T>(Dot, storedPart(R), Shape::Symmetric, Full);
  multiply<T>(T(1), Full, E.Vectors, Half);
  multiply<T>(T(1), E.Vectors.t(), Half, Middle);
  for (int64_t I = 0; I < N; ++I) {
    if (ValueDots)
      ValueDots(I, 0) = Middle(I, I);
    Middle(I, I) = 0;
  }
  if (!Dot)
    return;
  fill(Dot, T(0), wantsVectors(R) ? Part::All : storedPart(R));
  E.divide(Middle);
  if (wantsVectors(R))
    multiply<T>(T(1), E.Vectors, Middle, Dot);
}

template <typename T> void eigenAdjoint(Record<T> &R) {
  const Eigen<T> E(R);
  const int64_t N = E.N;
  const Matrix<T> Bar = R.shadow(0, N, N), ValueBars = R.vectorShadow(1, N);
  Room<T> Middle(N, N), Half(N, N), Full(N, N);
  if (Bar && wantsVectors(R)) {
    multiply<T>(T(1), E.Vectors.t(), Bar, Middle);
    E.divide(Middle);
  }
  for (int64_t I = 0; I < N; ++I) {
    Middle(I, I) = ValueBars ? ValueBars(I, 0) : T(0);
    if (ValueBars)
      ValueBars(I, 0) = 0;
  }
  if (!Bar)
    return;
  multiply<T>(T(1), E.Vectors, Middle, Half);
  multiply<T>(T(1), Half, E.Vectors.t(), Full);
  fill(Bar, T(0), wantsVectors(R) ? Part::All : storedPart(R));
  fold<T>(Full, storedPart(R), Shape::Symmetric, Bar, false);
}

} // namespace

template <typename T> Family<T> orthogonalFamily(int32_t What) {
  if (What == R_geqrf || What == R_gelqf)
    return {qrBefore<T>, qrAfter<T>, qrTangent<T>, qrAdjoint<T>};
  if (What == R_syev || What == R_syevd)
    return {eigenBefore<T>, eigenAfter<T>, eigenTangent<T>, eigenAdjoint<T>};
  return {applicationBefore<T>, applicationAfter<T>, applicationTangent<T>, applicationAdjoint<T>};
}

#define CF_FAMILY(T) template Family<T> orthogonalFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
