// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU of matrices with few diagonals, gbtrf and gttrf, and solutions by it, gbtrs and gttrs. It is
// kept as elimination leaves it: multipliers stay where they were when rows are interchanged. So
// the derivatives are those of the steps of elimination, which need its results only.
//
//   rows j and p of A, B change places;  l_i = a_ij / u_j,  a_ik -= l_i u_jk,  b_i -= l_i b_j
//
//   reverse, last step first:  l_i' -= a_ik' u_jk,  u_jk' -= l_i a_ik',
//                              a_ij' = l_i' / u_j,  u_j' -= l_i a_ij',  rows change back

#include "blas/FactoredParts.h"

#include <utility>

namespace contraflow::blas {
namespace {

/// Where the elements of the factors are. gttrf has them in four vectors.
template <typename T> struct Layout {
  bool Three, Solves; ///< gttrf, gttrs; gbtrs, gttrs
  int64_t Rows, N, Below, Above, Columns = 0;
  int64_t Fill; ///< diagonals above, with those that elimination adds
  int Arrays;   ///< then comes B

  explicit Layout(const Record<T> &R)
      : Three(R.What == R_gttrf || R.What == R_gttrs),
        Solves(R.What == R_gbtrs || R.What == R_gttrs), Rows(R.Size[0]), N(R.Size[0]), Below(1),
        Above(1), Arrays(Three ? 4 : 1) {
    if (R.What == R_gbtrf)
      N = R.Size[1], Below = R.Size[2], Above = R.Size[3];
    if (R.What == R_gbtrs)
      Below = R.Size[1], Above = R.Size[2];
    if (Solves)
      Columns = R.Size[Three ? 1 : 3];
    Fill = Below + Above;
  }

  template <typename Vector, typename Full> Places<T> read(Vector V, Full M) const {
    auto Fewer = [&](int64_t By) { return std::max<int64_t>(N - By, 0); };
    if (Three)
      return {{V(0, Fewer(1)), V(1, N), V(2, Fewer(1)), V(3, Fewer(2))}};
    return {{M(0, Below + Fill + 1, N), {}, {}, {}}};
  }
  T *place(const Places<T> &P, int64_t I, int64_t J) const {
    const int Part = !Three ? 0 : I > J ? 0 : 1 + static_cast<int>(J - I);
    const Matrix<T> &M = P.Parts[Part];
    if (!M)
      return nullptr;
    return Three ? &M(std::min(I, J), 0) : &M(Fill + I - J, J);
  }

  int64_t lastRow(int64_t J) const { return std::min(J + Below, Rows - 1); }
  int64_t lastColumn(int64_t J) const { return std::min(J + Fill, N - 1); }
};

template <typename T> using Elements = ElementsOf<T, Layout<T>>;

template <typename T>
void swapRows(Elements<T> &A, int64_t I, int64_t Other, int64_t First, int64_t Last) {
  for (int64_t K = First; I != Other && K <= Last; ++K) {
    const T Value = A(I, K);
    A.set(I, K, A(Other, K));
    A.set(Other, K, Value);
  }
}

/// What lies beyond the diagonals of the matrix is not read.
template <typename T> void clearFill(const Layout<T> &S, Elements<T> &A) {
  for (int64_t J = 0; J < S.N; ++J)
    for (int64_t I = std::max<int64_t>(J - S.Fill, 0); I < J - S.Above && I < S.Rows; ++I)
      A.set(I, J, 0);
}

template <typename T> void swapRows(Matrix<T> B, int64_t I, int64_t Other) {
  for (int64_t K = 0; I != Other && K < B.Columns; ++K)
    std::swap(B(I, K), B(Other, K));
}

/// The factors of one call, and what is done with right-hand sides.
template <typename T> struct Factors {
  const Layout<T> S;
  const Elements<T> A;
  const int32_t *Pivots;

  explicit Factors(const Record<T> &R)
      : S(R), A(S, {{R.Old[0], R.Old[1], R.Old[2], R.New[0]}}), Pivots(R.Pivots) {}
  int64_t pivot(int64_t J) const { return Pivots[J] - 1; }
  int64_t steps() const { return std::min(S.Rows, S.N); }

  /// B = U^-1 B.
  void solveUpper(Matrix<T> B) const {
    for (int64_t J = S.N - 1; J >= 0; --J) {
      for (int64_t K = 0; K < B.Columns; ++K)
        B(J, K) /= A(J, J);
      for (int64_t I = std::max<int64_t>(J - S.Fill, 0); I < J; ++I)
        addRow(B, I, T(0) - A(I, J), B, J);
    }
  }
  void solveUpperTransposed(Matrix<T> B) const {
    for (int64_t J = 0; J < S.N; ++J) {
      for (int64_t I = std::max<int64_t>(J - S.Fill, 0); I < J; ++I)
        addRow(B, J, T(0) - A(I, J), B, I);
      for (int64_t K = 0; K < B.Columns; ++K)
        B(J, K) /= A(J, J);
    }
  }
  /// To += Factor U B, with the elements of U.
  void multiplyUpper(const Elements<T> &U, T Factor, Matrix<T> B, Matrix<T> To) const {
    eachUpper([&](int64_t I, int64_t J) { addRow(To, I, Factor * U(I, J), B, J); });
  }
  void multiplyUpperTransposed(const Elements<T> &U, T Factor, Matrix<T> B, Matrix<T> To) const {
    eachUpper([&](int64_t I, int64_t J) { addRow(To, J, Factor * U(I, J), B, I); });
  }
  template <typename Visitor> void eachUpper(Visitor Visit) const {
    for (int64_t J = 0; J < S.N; ++J)
      for (int64_t I = std::max<int64_t>(J - S.Fill, 0); I <= J; ++I)
        Visit(I, J);
  }
};

template <typename T> void factorTangent(const Factors<T> &F, Elements<T> Dot) {
  clearFill(F.S, Dot);
  for (int64_t J = 0; J < F.steps(); ++J) {
    const int64_t Last = F.S.lastColumn(J);
    swapRows<T>(Dot, J, F.pivot(J), J, Last);
    for (int64_t I = J + 1; I <= F.S.lastRow(J); ++I) {
      const T L = F.A(I, J), LDot = (Dot(I, J) - L * Dot(J, J)) / F.A(J, J);
      Dot.set(I, J, LDot);
      for (int64_t K = J + 1; K <= Last; ++K)
        Dot.add(I, K, T(0) - LDot * F.A(J, K) - L * Dot(J, K));
    }
  }
}

template <typename T> void factorAdjoint(const Factors<T> &F, Elements<T> Bar) {
  for (int64_t J = F.steps() - 1; J >= 0; --J) {
    const int64_t Last = F.S.lastColumn(J);
    for (int64_t I = J + 1; I <= F.S.lastRow(J); ++I) {
      const T L = F.A(I, J);
      for (int64_t K = J + 1; K <= Last; ++K) {
        Bar.add(I, J, T(0) - Bar(I, K) * F.A(J, K));
        Bar.add(J, K, T(0) - L * Bar(I, K));
      }
      Bar.set(I, J, Bar(I, J) / F.A(J, J));
      Bar.add(J, J, T(0) - L * Bar(I, J));
    }
    swapRows<T>(Bar, J, F.pivot(J), J, Last);
  }
  clearFill(F.S, Bar);
}

/// U X = Y, and Y is what the steps of elimination make of B.
template <typename T>
void solutionTangent(const Factors<T> &F, Matrix<T> X, const Elements<T> &Dot, Matrix<T> BDot) {
  Room<T> Y(X.Rows, X.Columns);
  F.multiplyUpper(F.A, T(1), X, Y);
  for (int64_t J = 0; J < F.steps(); ++J) {
    swapRows(BDot, J, F.pivot(J));
    for (int64_t I = J + 1; I <= F.S.lastRow(J); ++I) {
      addRow<T>(BDot, I, T(0) - Dot(I, J), Y, J);
      addRow(BDot, I, T(0) - F.A(I, J), BDot, J);
    }
  }
  F.multiplyUpper(Dot, T(-1), X, BDot);
  F.solveUpper(BDot);
}

template <typename T>
void solutionAdjoint(const Factors<T> &F, Matrix<T> X, Elements<T> Bar, Matrix<T> BBar,
                     bool Atomic) {
  Room<T> Y(X.Rows, X.Columns);
  F.multiplyUpper(F.A, T(1), X, Y);
  F.solveUpperTransposed(BBar);
  F.eachUpper(
      [&](int64_t I, int64_t J) { Bar.add(I, J, T(0) - rowProduct(BBar, I, X, J), Atomic); });
  for (int64_t J = F.steps() - 1; J >= 0; --J) {
    for (int64_t I = J + 1; I <= F.S.lastRow(J); ++I) {
      Bar.add(I, J, T(0) - rowProduct<T>(BBar, I, Y, J), Atomic);
      addRow(BBar, J, T(0) - F.A(I, J), BBar, I);
    }
    swapRows(BBar, J, F.pivot(J));
  }
}

/// U^T W = B, and X is what the transposed steps, the last one first, make of W: this undoes one.
template <typename T> void undoStep(const Factors<T> &F, int64_t J, Matrix<T> X) {
  swapRows(X, J, F.pivot(J));
  for (int64_t I = J + 1; I <= F.S.lastRow(J); ++I)
    addRow(X, J, F.A(I, J), X, I);
}

template <typename T>
void transposedTangent(const Factors<T> &F, Matrix<T> X, const Elements<T> &Dot, Matrix<T> BDot) {
  Room<T> W(X.Rows, X.Columns);
  copy<T>(X, W);
  for (int64_t J = 0; J < F.steps(); ++J)
    undoStep<T>(F, J, W);
  F.multiplyUpperTransposed(Dot, T(-1), W, BDot);
  F.solveUpperTransposed(BDot);
  for (int64_t J = F.steps() - 1; J >= 0; --J) {
    for (int64_t I = J + 1; I <= F.S.lastRow(J); ++I) {
      addRow<T>(BDot, J, T(0) - Dot(I, J), W, I);
      addRow(BDot, J, T(0) - F.A(I, J), BDot, I);
      addRow<T>(W, J, T(0) - F.A(I, J), W, I);
    }
    swapRows(BDot, J, F.pivot(J));
    swapRows<T>(W, J, F.pivot(J));
  }
}

template <typename T>
void transposedAdjoint(const Factors<T> &F, Matrix<T> X, Elements<T> Bar, Matrix<T> BBar,
                       bool Atomic) {
  Room<T> W(X.Rows, X.Columns);
  copy<T>(X, W);
  for (int64_t J = 0; J < F.steps(); ++J) {
    swapRows(BBar, J, F.pivot(J));
    undoStep<T>(F, J, W);
    for (int64_t I = J + 1; I <= F.S.lastRow(J); ++I) {
      Bar.add(I, J, T(0) - rowProduct<T>(BBar, J, W, I), Atomic);
      addRow(BBar, I, T(0) - F.A(I, J), BBar, J);
    }
  }
  F.solveUpper(BBar);
  F.eachUpper(
      [&](int64_t I, int64_t J) { Bar.add(I, J, T(0) - rowProduct<T>(W, I, BBar, J), Atomic); });
}

template <typename T> void before(Record<T> &R) {
  const Layout<T> S(R);
  if (!S.Solves)
    return;
  keepGiven(R, S);
  R.keepPivots(S.N);
}

template <typename T> void after(Record<T> &R) {
  const Layout<T> S(R);
  keepResult(R, S);
  if (!S.Solves)
    R.keepPivots(std::min(S.Rows, S.N));
}

template <typename T> void tangent(Record<T> &R) {
  const Factors<T> F(R);
  const Places<T> Shadows = shadowsOf(F.S, R);
  const Elements<T> Dot(F.S, Shadows);
  if (!F.S.Solves)
    return Shadows ? factorTangent(F, Dot) : void();
  const Matrix<T> BDot = R.shadow(F.S.Arrays, F.S.N, F.S.Columns);
  if (!BDot)
    return;
  if (R.Flag[0] == 'T')
    transposedTangent(F, R.New[1], Dot, BDot);
  else
    solutionTangent(F, R.New[1], Dot, BDot);
}

template <typename T> void adjoint(Record<T> &R) {
  const Factors<T> F(R);
  const Places<T> Shadows = shadowsOf(F.S, R);
  const Elements<T> Bar(F.S, Shadows);
  if (!F.S.Solves)
    return Shadows ? factorAdjoint(F, Bar) : void();
  const Matrix<T> BBar = R.shadow(F.S.Arrays, F.S.N, F.S.Columns);
  if (!BBar)
    return;
  if (R.Flag[0] == 'T')
    transposedAdjoint(F, R.New[1], Bar, BBar, R.Atomic);
  else
    solutionAdjoint(F, R.New[1], Bar, BBar, R.Atomic);
}

} // namespace

template <typename T> Family<T> factoredBandFamily(int32_t) {
  return {before<T>, after<T>, tangent<T>, adjoint<T>};
}

#define CF_FAMILY(T) template Family<T> factoredBandFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
