// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of symmetric matrices with few diagonals, and solutions by them.
//
//   pbtrf, pbtrs   A = L L^T            step j:  d = l_jj = sqrt a_jj,  l_i = a_ij / d
//   pttrf, pttrs   A = L D L^T          step j:  d = a_jj,  l_i = a_ij / d
//   both                                         a_ik -= l_i l_k (D: times d)
//
// The derivatives are those of the steps, which need the factors only. An upper factor is the
// transpose of a lower one.

#include "blas/FactoredParts.h"

#include <cmath>

namespace contraflow::blas {
namespace {

using std::sqrt;

/// Where the elements of the lower triangle are.
template <typename T> struct Layout {
  bool Three, Solves, Upper; ///< pttrf, pttrs; pbtrs, pttrs
  int64_t N, Below = 1, Columns = 0;
  int Arrays; ///< then comes B

  explicit Layout(const Record<T> &R)
      : Three(R.What == R_pttrf || R.What == R_pttrs),
        Solves(R.What == R_pbtrs || R.What == R_pttrs), Upper(!Three && R.Flag[0] == 'U'),
        N(R.Size[0]), Arrays(Three ? 2 : 1) {
    if (!Three)
      Below = R.Size[1];
    if (Solves)
      Columns = R.Size[Three ? 1 : 2];
  }
  template <typename Vector, typename Full> Places<T> read(Vector V, Full M) const {
    if (Three)
      return {{V(0, N), V(1, std::max<int64_t>(N - 1, 0)), {}, {}}};
    return {{M(0, Below + 1, N), {}, {}, {}}};
  }
  T *place(const Places<T> &P, int64_t I, int64_t J) const {
    const Matrix<T> &M = P.Parts[Three && I != J ? 1 : 0];
    if (!M)
      return nullptr;
    if (Three)
      return &M(J, 0);
    return Upper ? &M(Below + J - I, I) : &M(I - J, J);
  }
  int64_t last(int64_t J) const { return std::min(J + Below, N - 1); }
};

template <typename T> using Elements = ElementsOf<T, Layout<T>>;

template <typename T> void divideRow(Matrix<T> B, int64_t I, T By) {
  for (int64_t K = 0; K < B.Columns; ++K)
    B(I, K) /= By;
}

/// The factors of one call: M = L, with ones on the diagonal beside D.
template <typename T> struct Factors {
  const Layout<T> S;
  const Elements<T> L;

  explicit Factors(const Record<T> &R) : S(R), L(S, {{R.Old[0], R.Old[1], {}, {}}}) {}

  /// What a product of multipliers counts with.
  T weight(int64_t J) const { return S.Three ? L(J, J) : T(1); }
  void solveLower(Matrix<T> B) const {
    for (int64_t J = 0; J < S.N; ++J) {
      if (!S.Three)
        divideRow(B, J, L(J, J));
      for (int64_t I = J + 1; I <= S.last(J); ++I)
        addRow(B, I, T(0) - L(I, J), B, J);
    }
  }
  void solveTransposed(Matrix<T> B) const {
    for (int64_t J = S.N - 1; J >= 0; --J) {
      for (int64_t I = J + 1; I <= S.last(J); ++I)
        addRow(B, J, T(0) - L(I, J), B, I);
      if (!S.Three)
        divideRow(B, J, L(J, J));
    }
  }
  /// Calls Visit(i, j) for the elements of L that are not one.
  template <typename Visitor> void each(Visitor Visit) const {
    for (int64_t J = 0; J < S.N; ++J)
      for (int64_t I = S.Three ? J + 1 : J; I <= S.last(J); ++I)
        Visit(I, J);
  }
  /// L^T X.
  void multiplyTransposed(Matrix<T> X, Matrix<T> To) const {
    if (S.Three)
      copy(X, To);
    each([&](int64_t I, int64_t J) { addRow(To, J, L(I, J), X, I); });
  }
};

template <typename T> void factorTangent(const Factors<T> &F, Elements<T> Dot) {
  for (int64_t J = 0; J < F.S.N; ++J) {
    if (!F.S.Three)
      Dot.set(J, J, Dot(J, J) / (T(2) * F.L(J, J)));
    const T Weight = F.weight(J), WeightDot = F.S.Three ? Dot(J, J) : T(0);
    for (int64_t K = J + 1; K <= F.S.last(J); ++K) {
      Dot.set(K, J, (Dot(K, J) - F.L(K, J) * Dot(J, J)) / F.L(J, J));
      for (int64_t I = J + 1; I <= K; ++I)
        Dot.add(K, I,
                T(0) - Weight * (Dot(I, J) * F.L(K, J) + F.L(I, J) * Dot(K, J)) -
                    WeightDot * F.L(I, J) * F.L(K, J));
    }
  }
}

template <typename T> void factorAdjoint(const Factors<T> &F, Elements<T> Bar) {
  for (int64_t J = F.S.N - 1; J >= 0; --J) {
    const T Weight = F.weight(J);
    for (int64_t K = J + 1; K <= F.S.last(J); ++K)
      for (int64_t I = J + 1; I <= K; ++I) {
        Bar.add(I, J, T(0) - Weight * Bar(K, I) * F.L(K, J));
        Bar.add(K, J, T(0) - Weight * Bar(K, I) * F.L(I, J));
        if (F.S.Three)
          Bar.add(J, J, T(0) - F.L(I, J) * F.L(K, J) * Bar(K, I));
      }
    for (int64_t I = J + 1; I <= F.S.last(J); ++I) {
      Bar.set(I, J, Bar(I, J) / F.L(J, J));
      Bar.add(J, J, T(0) - F.L(I, J) * Bar(I, J));
    }
    if (!F.S.Three)
      Bar.set(J, J, Bar(J, J) / (T(2) * F.L(J, J)));
  }
}

/// L Z = B, D Y = Z, L^T X = Y.
template <typename T>
void solutionTangent(const Factors<T> &F, Matrix<T> X, const Elements<T> &Dot, Matrix<T> BDot) {
  Room<T> Y(X.Rows, X.Columns), Z(X.Rows, X.Columns);
  F.multiplyTransposed(X, Y);
  copy<T>(Y, Z);
  for (int64_t J = 0; F.S.Three && J < F.S.N; ++J)
    divideRow<T>(Z, J, T(1) / F.L(J, J));
  F.each([&](int64_t I, int64_t J) { addRow<T>(BDot, I, T(0) - Dot(I, J), Z, J); });
  F.solveLower(BDot);
  for (int64_t J = 0; F.S.Three && J < F.S.N; ++J) {
    addRow<T>(BDot, J, T(0) - Dot(J, J), Y, J);
    divideRow(BDot, J, F.L(J, J));
  }
  F.each([&](int64_t I, int64_t J) { addRow(BDot, J, T(0) - Dot(I, J), X, I); });
  F.solveTransposed(BDot);
}

template <typename T>
void solutionAdjoint(const Factors<T> &F, Matrix<T> X, Elements<T> Bar, Matrix<T> BBar,
                     bool Atomic) {
  Room<T> Y(X.Rows, X.Columns);
  F.multiplyTransposed(X, Y);
  F.solveLower(BBar);
  F.each([&](int64_t I, int64_t J) { Bar.add(I, J, T(0) - rowProduct(X, I, BBar, J), Atomic); });
  for (int64_t J = 0; F.S.Three && J < F.S.N; ++J) {
    divideRow(BBar, J, F.L(J, J));
    Bar.add(J, J, T(0) - rowProduct<T>(BBar, J, Y, J), Atomic);
    divideRow<T>(Y, J, T(1) / F.L(J, J));
  }
  F.solveTransposed(BBar);
  F.each([&](int64_t I, int64_t J) { Bar.add(I, J, T(0) - rowProduct<T>(BBar, I, Y, J), Atomic); });
}

template <typename T> void before(Record<T> &R) {
  if (const Layout<T> S(R); S.Solves)
    keepGiven(R, S);
}

template <typename T> void after(Record<T> &R) { keepResult(R, Layout<T>(R)); }

template <typename T> void tangent(Record<T> &R) {
  const Factors<T> F(R);
  const Places<T> Shadows = shadowsOf(F.S, R);
  const Elements<T> Dot(F.S, Shadows);
  if (!F.S.Solves)
    return Shadows ? factorTangent(F, Dot) : void();
  if (const Matrix<T> BDot = R.shadow(F.S.Arrays, F.S.N, F.S.Columns))
    solutionTangent(F, R.New[1], Dot, BDot);
}

template <typename T> void adjoint(Record<T> &R) {
  const Factors<T> F(R);
  const Places<T> Shadows = shadowsOf(F.S, R);
  const Elements<T> Bar(F.S, Shadows);
  if (!F.S.Solves)
    return Shadows ? factorAdjoint(F, Bar) : void();
  if (const Matrix<T> BBar = R.shadow(F.S.Arrays, F.S.N, F.S.Columns))
    solutionAdjoint(F, R.New[1], Bar, BBar, R.Atomic);
}

} // namespace

template <typename T> Family<T> factoredSymmetricFamily(int32_t) {
  return {before<T>, after<T>, tangent<T>, adjoint<T>};
}

#define CF_FAMILY(T) template Family<T> factoredSymmetricFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
