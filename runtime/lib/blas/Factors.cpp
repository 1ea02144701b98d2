// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU with row interchanges and Cholesky, and solutions by them.
//
//   P A = L U (square):  A' = P^T L^-T (tril(L^T L') + triu(U' U^T)) U^-T, tril without the
//   diagonal A = L L^T:           S = L^-T phi(L^T L') L^-1, phi: lower part, diagonal halved;
//                        A' = S + S^T in the triangle that is stored, S on the diagonal
//
// L' and U' lie in the shadow of A, as L and U do in A. A matrix that is not square is a square
// block and a rest that is a triangular solution.

#include "blas/Kernels.h"
#include "blas/Record.h"

namespace contraflow::blas {
namespace {

template <typename T> struct Solution {
  Matrix<T> A, ABar, B, BBar; ///< B: right-hand sides, then solutions
};

/// Which arrays and sizes of a call are the factors and the right-hand sides.
template <typename T> Solution<T> solutionOf(const Record<T> &R) {
  const int64_t N = R.Size[0], Columns = R.Size[1];
  return {R.matrix(0, N, N), R.shadow(0, N, N), R.matrix(1, N, Columns), R.shadow(1, N, Columns)};
}

// LU

/// Keeps the strictly lower part; the rest becomes zero.
template <typename T> void strictlyLower(Matrix<T> M) { fill(M, T(0), Part::Upper); }
template <typename T> void upper(Matrix<T> M) {
  each(M.Rows, M.Columns, Part::Lower, [&](int64_t I, int64_t J) {
    if (I != J)
      M(I, J) = 0;
  });
}

/// The factors of a rectangular matrix in full: L is m x k with ones, U is k x n.
template <typename T> struct Factors {
  Room<T> L, U;

  Factors(Matrix<T> LU, bool Ones)
      : L(LU.Rows, std::min(LU.Rows, LU.Columns)), U(std::min(LU.Rows, LU.Columns), LU.Columns) {
    copy<T>(LU.block(0, 0, L.Rows, L.Columns), L);
    strictlyLower<T>(L);
    copy<T>(LU.block(0, 0, U.Rows, U.Columns), U);
    upper<T>(U);
    for (int64_t I = 0; Ones && I < L.Columns; ++I)
      L(I, I) = 1;
  }
};

template <typename T> void factorAdjoint(Matrix<T> LU, const int32_t *Pivots, Matrix<T> Bar) {
  const Factors<T> F(LU, true), FBar(Bar, false);
  const int64_t M = LU.Rows, N = LU.Columns, K = std::min(M, N);
  const Matrix<T> L = F.L.block(0, 0, K, K), U = F.U.block(0, 0, K, K);
  const Matrix<T> LBar = FBar.L.block(0, 0, K, K), UBar = FBar.U.block(0, 0, K, K);
  if (M > N) { // L2 = A2 U^-1
    const Matrix<T> Rest = Bar.block(K, 0, M - K, K);
    solve(U, Part::Upper, false, Rest.t());
    multiply<T>(T(-1), F.L.block(K, 0, M - K, K).t(), Rest, UBar);
  }
  if (N > M) { // U2 = L^-1 A2
    const Matrix<T> Rest = Bar.block(0, K, K, N - K);
    solve(L.t(), Part::Upper, true, Rest);
    multiply<T>(T(-1), Rest, F.U.block(0, K, K, N - K).t(), LBar);
  }
  Room<T> Middle(K, K), FromU(K, K);
  strictlyLower(LBar);
  upper(UBar);
  multiply<T>(T(1), L.t(), LBar, Middle);
  strictlyLower<T>(Middle);
  multiply<T>(T(1), UBar, U.t(), FromU);
  upper<T>(FromU);
  add<T>(Middle, FromU, T(1), false);
  solve<T>(L.t(), Part::Upper, true, Middle);
  solve<T>(U, Part::Upper, false, Middle.t());
  copy<T>(Middle, Bar.block(0, 0, K, K));
  interchange(Bar, Pivots, K, false);
}

template <typename T> void factorTangent(Matrix<T> LU, const int32_t *Pivots, Matrix<T> Dot) {
  const Factors<T> F(LU, true);
  const int64_t M = LU.Rows, N = LU.Columns, K = std::min(M, N);
  const Matrix<T> L = F.L.block(0, 0, K, K), U = F.U.block(0, 0, K, K);
  interchange(Dot, Pivots, K, true);
  Room<T> InL(K, K), InU(K, K), LDot(K, K), UDot(K, K);
  copy<T>(Dot.block(0, 0, K, K), InL);
  solve<T>(L, Part::Lower, true, InL);
  solve<T>(U.t(), Part::Lower, false, InL.t());
  copy<T>(InL, InU);
  strictlyLower<T>(InL);
  upper<T>(InU);
  multiply<T>(T(1), L, InL, LDot);
  multiply<T>(T(1), InU, U, UDot);
  if (M > N) {
    const Matrix<T> Rest = Dot.block(K, 0, M - K, K);
    multiply<T>(T(-1), F.L.block(K, 0, M - K, K), UDot, Rest);
    solve(U.t(), Part::Lower, false, Rest.t());
  }
  if (N > M) {
    const Matrix<T> Rest = Dot.block(0, K, K, N - K);
    multiply<T>(T(-1), LDot, F.U.block(0, K, K, N - K), Rest);
    solve(L, Part::Lower, true, Rest);
  }
  copy<T>(LDot, Dot.block(0, 0, K, K));
  copy<T>(UDot, Dot.block(0, 0, K, K), Part::Upper);
}

template <typename T> struct LUParts {
  Matrix<T> Kept;
  const int32_t *Pivots;
};

/// X = A^-1 B or A^-T B with kept factors; X is the kept solution.
template <typename T>
void solutionAdjoint(LUParts<T> LU, bool Transposed, Matrix<T> X, Matrix<T> ABar, Matrix<T> BBar,
                     bool Atomic) {
  const int64_t N = LU.Kept.Rows;
  const Factors<T> F(LU.Kept, true);
  Room<T> Between(X.Rows, X.Columns), Lower(N, N), Upper(N, N);
  if (!Transposed) { // U X = Y, L Y = P B
    multiply<T>(T(1), F.U, X, Between);
    solve<T>(F.U.t(), Part::Lower, false, BBar);
    multiply<T>(T(-1), BBar, X.t(), Upper);
    solve<T>(F.L.t(), Part::Upper, true, BBar);
    multiply<T>(T(-1), BBar, Between.t(), Lower);
    interchange(BBar, LU.Pivots, N, false);
  } else { // U^T W = B, L^T V = W, X = P^T V
    Room<T> V(X.Rows, X.Columns);
    copy<T>(X, V);
    interchange<T>(V, LU.Pivots, N, true);
    multiply<T>(T(1), F.L.t(), V, Between);
    interchange(BBar, LU.Pivots, N, true);
    solve<T>(F.L, Part::Lower, true, BBar);
    multiply<T>(T(-1), V, BBar.t(), Lower);
    solve<T>(F.U, Part::Upper, false, BBar);
    multiply<T>(T(-1), Between, BBar.t(), Upper);
  }
  if (!ABar)
    return;
  strictlyLower<T>(Lower);
  add<T>(ABar, Lower, T(1), Atomic, Part::Lower);
  add<T>(ABar, Upper, T(1), Atomic, Part::Upper);
}

/// A X = B: X' = A^-1 (B' - A' X), where A' comes from the tangents of the factors.
template <typename T>
void solutionTangent(LUParts<T> LU, bool Transposed, Matrix<T> X, Matrix<T> ADot, Matrix<T> BDot) {
  const int64_t N = LU.Kept.Rows;
  const Factors<T> F(LU.Kept, true);
  if (ADot) {
    const Factors<T> FDot(ADot, false);
    Room<T> PADot(N, N), Change(X.Rows, X.Columns);
    multiply<T>(T(1), FDot.L, F.U, PADot);
    multiply<T>(T(1), F.L, FDot.U, PADot);
    interchange<T>(PADot, LU.Pivots, N, false);
    multiply<T>(T(1), Transposed ? PADot.t() : PADot, X, Change);
    add<T>(BDot, Change, T(-1), false);
  }
  if (!Transposed) {
    interchange(BDot, LU.Pivots, N, true);
    solve<T>(F.L, Part::Lower, true, BDot);
    solve<T>(F.U, Part::Upper, false, BDot);
  } else {
    solve<T>(F.U.t(), Part::Lower, false, BDot);
    solve<T>(F.L.t(), Part::Upper, true, BDot);
    interchange(BDot, LU.Pivots, N, false);
  }
}

template <typename T> void luBefore(Record<T> &R) {
  if (R.What != R_getrs)
    return;
  const int64_t N = R.Size[0];
  R.New[0] = R.keepInput(0, R.matrix(0, N, N));
  R.keepPivots(N);
}

template <typename T> void luAfter(Record<T> &R) {
  const int64_t M = R.Size[0], N = R.What == R_getrf ? R.Size[1] : M;
  if (R.What != R_getrs) {
    R.New[0] = R.Tangent ? R.matrix(0, M, N) : R.keep(R.matrix(0, M, N));
    R.keepPivots(std::min(M, N));
  }
  if (R.What != R_getrf)
    R.New[1] = R.Tangent ? R.matrix(1, N, R.Size[1]) : R.keep(R.matrix(1, N, R.Size[1]));
}

template <typename T> bool isTransposed(const Record<T> &R) {
  return R.What == R_getrs && R.Flag[0] == 'T';
}

template <typename T> void luTangent(Record<T> &R) {
  const LUParts<T> LU{R.New[0], R.Pivots};
  if (R.What != R_getrs && R.Arrays[0].Shadow)
    factorTangent(LU.Kept, LU.Pivots, R.shadow(0, LU.Kept.Rows, LU.Kept.Columns));
  if (R.What == R_getrf)
    return;
  const Solution<T> S = solutionOf(R);
  if (S.BBar)
    solutionTangent(LU, isTransposed(R), R.New[1], S.ABar, S.BBar);
}

template <typename T> void luAdjoint(Record<T> &R) {
  const LUParts<T> LU{R.New[0], R.Pivots};
  if (R.What != R_getrf) {
    const Solution<T> S = solutionOf(R);
    const bool Atomic = R.Atomic && R.What == R_getrs; // factors of gesv are its own
    if (S.BBar)
      solutionAdjoint(LU, isTransposed(R), R.New[1], S.ABar, S.BBar, Atomic);
  }
  if (R.What != R_getrs && R.Arrays[0].Shadow)
    factorAdjoint(LU.Kept, LU.Pivots, R.shadow(0, LU.Kept.Rows, LU.Kept.Columns));
}

// Cholesky. An upper factor is the transpose of a lower one.

template <typename T> Matrix<T> lower(const Record<T> &R, Matrix<T> M) {
  return R.Flag[0] == 'L' ? M : M.t();
}

/// phi: the lower part, its diagonal halved.
template <typename T> void phi(Matrix<T> M) {
  each(M.Rows, M.Columns, Part::Upper,
       [&](int64_t I, int64_t J) { M(I, J) = I == J ? M(I, J) / 2 : T(0); });
}

template <typename T> void choleskyAdjoint(Matrix<T> L, Matrix<T> Bar) {
  const int64_t N = L.Rows;
  Room<T> Full(N, N), FullBar(N, N), S(N, N);
  expand<T>(L, Part::Lower, Shape::Triangular, Full);
  expand<T>(Bar, Part::Lower, Shape::Triangular, FullBar);
  multiply<T>(T(1), Full.t(), FullBar, S);
  phi<T>(S);
  solve<T>(Full.t(), Part::Upper, false, S);     // L^-T S
  solve<T>(Full.t(), Part::Upper, false, S.t()); // S L^-1
  fill(Bar, T(0), Part::Lower);
  fold<T>(S, Part::Lower, Shape::Symmetric, Bar, false);
}

template <typename T> void choleskyTangent(Matrix<T> L, Matrix<T> Dot) {
  const int64_t N = L.Rows;
  Room<T> Full(N, N), S(N, N), Sum(N, N);
  expand<T>(L, Part::Lower, Shape::Triangular, Full);
  expand<T>(Dot, Part::Lower, Shape::Symmetric, S);
  solve<T>(Full, Part::Lower, false, S);
  solve<T>(Full, Part::Lower, false, S.t());
  phi<T>(S);
  multiply<T>(T(1), Full, S, Sum);
  copy<T>(Sum, Dot, Part::Lower);
}

template <typename T>
void choleskySolutionAdjoint(Matrix<T> L, Matrix<T> X, Matrix<T> LBar, Matrix<T> BBar,
                             bool Atomic) {
  const int64_t N = L.Rows;
  Room<T> Full(N, N), Y(X.Rows, X.Columns), Sum(N, N);
  expand<T>(L, Part::Lower, Shape::Triangular, Full);
  multiply<T>(T(1), Full.t(), X, Y); // L Y = B, L^T X = Y
  solve<T>(Full, Part::Lower, false, BBar);
  multiply<T>(T(-1), X, BBar.t(), Sum);
  solve<T>(Full.t(), Part::Upper, false, BBar);
  multiply<T>(T(-1), BBar, Y.t(), Sum);
  if (LBar)
    add<T>(LBar, Sum, T(1), Atomic, Part::Lower);
}

template <typename T>
void choleskySolutionTangent(Matrix<T> L, Matrix<T> X, Matrix<T> LDot, Matrix<T> BDot) {
  const int64_t N = L.Rows;
  Room<T> Full(N, N);
  expand<T>(L, Part::Lower, Shape::Triangular, Full);
  if (LDot) { // A' X = L' L^T X + L L'^T X
    Room<T> FullDot(N, N), Y(X.Rows, X.Columns), Z(X.Rows, X.Columns);
    expand<T>(LDot, Part::Lower, Shape::Triangular, FullDot);
    multiply<T>(T(1), Full.t(), X, Y);
    multiply<T>(T(-1), FullDot, Y, BDot);
    multiply<T>(T(1), FullDot.t(), X, Z);
    multiply<T>(T(-1), Full, Z, BDot);
  }
  solve<T>(Full, Part::Lower, false, BDot);
  solve<T>(Full.t(), Part::Upper, false, BDot);
}

template <typename T> void choleskyBefore(Record<T> &R) {
  if (R.What == R_potrs)
    R.New[0] = R.keepInput(0, R.matrix(0, R.Size[0], R.Size[0]));
}

template <typename T> void choleskyAfter(Record<T> &R) {
  const int64_t N = R.Size[0];
  auto Keep = [&](Matrix<T> M) { return R.Tangent ? M : R.keep(M); };
  if (R.What != R_potrs)
    R.New[0] = Keep(R.matrix(0, N, N));
  if (R.What != R_potrf)
    R.New[1] = Keep(R.matrix(1, N, R.Size[1]));
}

template <typename T> void choleskyFamilyTangent(Record<T> &R) {
  const Solution<T> S = solutionOf(R);
  const Matrix<T> L = lower(R, R.New[0]), LDot = lower(R, S.ABar);
  if (R.What != R_potrs && S.ABar)
    choleskyTangent(L, LDot);
  if (R.What != R_potrf && S.BBar)
    choleskySolutionTangent(L, R.New[1], LDot, S.BBar);
}

template <typename T> void choleskyFamilyAdjoint(Record<T> &R) {
  const Solution<T> S = solutionOf(R);
  const Matrix<T> L = lower(R, R.New[0]), LBar = lower(R, S.ABar);
  if (R.What != R_potrf && S.BBar)
    choleskySolutionAdjoint(L, R.New[1], LBar, S.BBar, R.Atomic && R.What == R_potrs);
  if (R.What != R_potrs && S.ABar)
    choleskyAdjoint(L, LBar);
}

} // namespace

template <typename T> Family<T> factorFamily(int32_t What) {
  if (What <= R_gesv)
    return {luBefore<T>, luAfter<T>, luTangent<T>, luAdjoint<T>};
  return {choleskyBefore<T>, choleskyAfter<T>, choleskyFamilyTangent<T>, choleskyFamilyAdjoint<T>};
}

#define CF_FAMILY(T) template Family<T> factorFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
