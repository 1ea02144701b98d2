// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sytrf and sytrs: symmetric matrices with interchanges and pivots of one or two rows.
//
//   P^T A P = L D L^T:   M = L^-1 P^T A' P L^-T,   D' = M on the blocks,  L' = L (M D^-1 below
//   them)
//
//   reverse:   M' = (L^T L') D^-1 below the blocks, D' on them
//              A' = P L^-T M' L^-1 P^T, folded into the triangle
//
// sytrf leaves its multipliers where they were when rows were interchanged later; here they are
// moved along. An upper factor is a lower one with rows and columns counted from the end.

#include "blas/Kernels.h"
#include "blas/Record.h"

#include <utility>
#include <vector>

namespace contraflow::blas {
namespace {

/// Which rows were interchanged, and where a pivot takes two.
class Steps {
public:
  Steps(const int32_t *Pivots, int64_t N, bool Upper)
      : Other(static_cast<size_t>(N)), Double(static_cast<size_t>(N)) {
    for (int64_t K = 0; K < N;) {
      const int64_t Given = Pivots[Upper ? N - 1 - K : K], Row = Given < 0 ? -Given : Given;
      const bool Two = Given < 0 && K + 1 < N;
      set(K, Two, Upper ? N - Row : Row - 1);
      K += Two ? 2 : 1;
    }
  }
  int64_t size() const { return static_cast<int64_t>(Other.size()); }
  bool isDouble(int64_t K) const { return Double[static_cast<size_t>(K)]; }
  int64_t width(int64_t K) const { return isDouble(K) ? 2 : 1; }
  /// Calls Visit(k, row, other row), first step first or last.
  template <typename Visitor> void each(bool Forward, Visitor Visit) const {
    std::vector<int64_t> Starts;
    for (int64_t K = 0; K < size(); K += width(K))
      Starts.push_back(K);
    if (!Forward)
      std::reverse(Starts.begin(), Starts.end());
    for (const int64_t K : Starts)
      Visit(K, K + width(K) - 1, Other[static_cast<size_t>(K)]);
  }
  /// True if (i, j) is on the diagonal or in a block of it.
  bool isPivot(int64_t I, int64_t J) const {
    return I == J || (I == J + 1 && isDouble(J)) || (J == I + 1 && isDouble(I));
  }

private:
  void set(int64_t K, bool Two, int64_t Row) {
    Other[static_cast<size_t>(K)] = Row;
    Double[static_cast<size_t>(K)] = Two;
  }

  std::vector<int64_t> Other;
  std::vector<bool> Double;
};

template <typename T> void swapRows(Matrix<T> M, int64_t I, int64_t Other, int64_t Columns) {
  for (int64_t K = 0; I != Other && K < Columns; ++K)
    std::swap(M(I, K), M(Other, K));
}

/// P^T M, or P M.
template <typename T> void permute(const Steps &S, Matrix<T> M, bool Forward) {
  S.each(Forward, [&](int64_t, int64_t Row, int64_t Other) { swapRows(M, Row, Other, M.Columns); });
}

/// Multipliers move along with later interchanges, or back.
template <typename T> void carry(const Steps &S, Matrix<T> L, bool Forward) {
  S.each(Forward, [&](int64_t K, int64_t Row, int64_t Other) { swapRows(L, Row, Other, K); });
}

template <typename T> Matrix<T> asLower(const Record<T> &R, Matrix<T> M) {
  if (R.Flag[0] == 'L' || !M || M.Rows == 0)
    return M;
  return {&M(M.Rows - 1, M.Columns - 1), M.Rows, M.Columns, -M.DownStep, -M.RightStep};
}

/// Right-hand sides of a system whose rows are counted from the end.
template <typename T> Matrix<T> fromEnd(const Record<T> &R, Matrix<T> M) {
  if (R.Flag[0] == 'L' || !M || M.Rows == 0)
    return M;
  return {&M(M.Rows - 1, 0), M.Rows, M.Columns, -M.DownStep, M.RightStep};
}

/// Multipliers and pivots apart: of factors (Ones), or of their tangents and adjoints.
template <typename T> struct Factors {
  Room<T> L, D; ///< of D the lower triangle

  Factors(const Steps &S, Matrix<T> Stored, bool Ones)
      : L(S.size(), S.size()), D(S.size(), S.size()) {
    each(S.size(), S.size(), Part::Lower, [&](int64_t I, int64_t J) {
      (S.isPivot(I, J) ? static_cast<Matrix<T> &>(D) : L)(I, J) = Stored ? Stored(I, J) : T(0);
    });
    carry<T>(S, L, true);
    for (int64_t I = 0; Ones && I < S.size(); ++I)
      L(I, I) = 1;
  }
  /// Adds to, or replaces, what is stored.
  void store(const Steps &S, Matrix<T> Stored, bool Adds, bool Atomic) {
    carry<T>(S, L, false);
    each(S.size(), S.size(), Part::Lower, [&](int64_t I, int64_t J) {
      const T Value = (S.isPivot(I, J) ? static_cast<Matrix<T> &>(D) : L)(I, J);
      if (Adds)
        addTo(Stored(I, J), Value, Atomic);
      else
        Stored(I, J) = Value;
    });
  }
};

/// Rows of B times D, or D^-1.
template <typename T> void applyPivots(const Steps &S, Matrix<T> D, Matrix<T> B, bool Inverse) {
  S.each(true, [&](int64_t K, int64_t Last, int64_t) {
    T First = D(K, K), Side = 0, Second = 1;
    if (Last != K)
      Side = D(Last, K), Second = D(Last, Last);
    const T Determinant = First * Second - Side * Side;
    for (int64_t J = 0; J < B.Columns; ++J) {
      const T X = B(K, J), Y = Last != K ? B(Last, J) : T(0);
      if (Inverse && Last == K)
        B(K, J) = X / First;
      else
        B(K, J) = Inverse ? (Second * X - Side * Y) / Determinant : First * X + Side * Y;
      if (Last != K)
        B(Last, J) = Inverse ? (First * Y - Side * X) / Determinant : Side * X + Second * Y;
    }
  });
}

/// Only what is below the pivots stays.
template <typename T> void below(const Steps &S, Matrix<T> M) {
  each(M.Rows, M.Columns, Part::All, [&](int64_t I, int64_t J) {
    if (I < J || S.isPivot(I, J))
      M(I, J) = 0;
  });
}

/// A side element of D stands for two.
template <typename T> void foldPivots(const Steps &S, Matrix<T> Full, Matrix<T> D) {
  each(Full.Rows, Full.Columns, Part::Lower, [&](int64_t I, int64_t J) {
    if (S.isPivot(I, J))
      D(I, J) += I == J ? Full(I, J) : Full(I, J) + Full(J, I);
  });
}

template <typename T> void factorTangent(const Steps &S, Matrix<T> Stored, Matrix<T> Dot) {
  const int64_t N = S.size();
  const Factors<T> F(S, Stored, true);
  Factors<T> FDot(S, {}, false);
  Room<T> M(N, N);
  expand<T>(Dot, Part::Lower, Shape::Symmetric, M);
  permute<T>(S, M, true);
  permute<T>(S, M.t(), true);
  solve<T>(F.L, Part::Lower, true, M);
  solve<T>(F.L, Part::Lower, true, M.t());
  each(N, N, Part::Lower, [&](int64_t I, int64_t J) {
    if (S.isPivot(I, J))
      FDot.D(I, J) = M(I, J);
  });
  below<T>(S, M);
  applyPivots<T>(S, F.D, M.t(), true);
  multiply<T>(T(1), F.L, M, FDot.L);
  FDot.store(S, Dot, false, false);
}

template <typename T> void factorAdjoint(const Steps &S, Matrix<T> Stored, Matrix<T> Bar) {
  const int64_t N = S.size();
  const Factors<T> F(S, Stored, true), FBar(S, Bar, false);
  Room<T> M(N, N);
  multiply<T>(T(1), F.L.t(), FBar.L, M);
  below<T>(S, M);
  applyPivots<T>(S, F.D, M.t(), true);
  add<T>(M, FBar.D, T(1), false, Part::Lower);
  solve<T>(F.L.t(), Part::Upper, true, M);
  solve<T>(F.L.t(), Part::Upper, true, M.t());
  permute<T>(S, M, false);
  permute<T>(S, M.t(), false);
  fill(Bar, T(0), Part::Lower);
  fold<T>(M, Part::Lower, Shape::Symmetric, Bar, false);
}

/// L Z = P^T B, D Y = Z, L^T P^T X = Y. B becomes P^T B', and so on.
template <typename T>
void solutionTangent(const Steps &S, Matrix<T> Stored, Matrix<T> X, Matrix<T> ADot,
                     Matrix<T> BDot) {
  const Factors<T> F(S, Stored, true), FDot(S, ADot, false);
  Room<T> XP(X.Rows, X.Columns), Y(X.Rows, X.Columns), Z(X.Rows, X.Columns), DY(X.Rows, X.Columns);
  copy<T>(X, XP);
  permute<T>(S, XP, true);
  multiply<T>(T(1), F.L.t(), XP, Y);
  copy<T>(Y, Z);
  applyPivots<T>(S, F.D, Z, false);
  copy<T>(Y, DY);
  applyPivots<T>(S, FDot.D, DY, false);
  permute(S, BDot, true);
  multiply<T>(T(-1), FDot.L, Z, BDot);
  solve<T>(F.L, Part::Lower, true, BDot);
  add<T>(BDot, DY, T(-1), false);
  applyPivots<T>(S, F.D, BDot, true);
  multiply<T>(T(-1), FDot.L.t(), XP, BDot);
  solve<T>(F.L.t(), Part::Upper, true, BDot);
  permute(S, BDot, false);
}

template <typename T>
void solutionAdjoint(const Steps &S, Matrix<T> Stored, Matrix<T> X, Matrix<T> ABar, Matrix<T> BBar,
                     bool Atomic) {
  const int64_t N = S.size();
  const Factors<T> F(S, Stored, true);
  Factors<T> FBar(S, {}, false);
  Room<T> XP(X.Rows, X.Columns), Y(X.Rows, X.Columns), Full(N, N);
  copy<T>(X, XP);
  permute<T>(S, XP, true);
  multiply<T>(T(1), F.L.t(), XP, Y);
  permute(S, BBar, true);
  solve<T>(F.L, Part::Lower, true, BBar);
  multiply<T>(T(-1), XP, BBar.t(), FBar.L);
  applyPivots<T>(S, F.D, BBar, true);
  multiply<T>(T(-1), BBar, Y.t(), Full);
  foldPivots<T>(S, Full, FBar.D);
  solve<T>(F.L.t(), Part::Upper, true, BBar);
  applyPivots<T>(S, F.D, Y, false);
  multiply<T>(T(-1), BBar, Y.t(), FBar.L);
  permute(S, BBar, false);
  below<T>(S, FBar.L);
  if (ABar)
    FBar.store(S, ABar, true, Atomic);
}

template <typename T> bool solves(const Record<T> &R) { return R.What == R_sytrs; }

template <typename T> void before(Record<T> &R) {
  const int64_t N = R.Size[0];
  if (!solves(R))
    return;
  R.New[0] = R.keepInput(0, R.matrix(0, N, N));
  R.keepPivots(N);
}

template <typename T> void after(Record<T> &R) {
  const int64_t N = R.Size[0];
  auto Keep = [&](Matrix<T> M) { return R.Tangent ? M : R.keep(M); };
  if (solves(R)) {
    R.New[1] = Keep(R.matrix(1, N, R.Size[1]));
    return;
  }
  R.New[0] = Keep(R.matrix(0, N, N));
  R.keepPivots(N);
}

template <typename T> void tangent(Record<T> &R) {
  const int64_t N = R.Size[0];
  const Steps S(R.Pivots, N, R.Flag[0] == 'U');
  const Matrix<T> A = asLower(R, R.New[0]), ADot = asLower(R, R.shadow(0, N, N));
  if (!solves(R))
    return ADot ? factorTangent(S, A, ADot) : void();
  if (const Matrix<T> BDot = fromEnd(R, R.shadow(1, N, R.Size[1])))
    solutionTangent(S, A, fromEnd(R, R.New[1]), ADot, BDot);
}

template <typename T> void adjoint(Record<T> &R) {
  const int64_t N = R.Size[0];
  const Steps S(R.Pivots, N, R.Flag[0] == 'U');
  const Matrix<T> A = asLower(R, R.New[0]), ABar = asLower(R, R.shadow(0, N, N));
  if (!solves(R))
    return ABar ? factorAdjoint(S, A, ABar) : void();
  if (const Matrix<T> BBar = fromEnd(R, R.shadow(1, N, R.Size[1])))
    solutionAdjoint(S, A, fromEnd(R, R.New[1]), ABar, BBar, R.Atomic);
}

} // namespace

template <typename T> Family<T> indefiniteFamily(int32_t) {
  return {before<T>, after<T>, tangent<T>, adjoint<T>};
}

#define CF_FAMILY(T) template Family<T> indefiniteFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
