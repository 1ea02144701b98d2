// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Systems that are factored and solved in one call: gtsv, ptsv, gbsv, pbsv, sysv. Their matrices
// are stored by diagonals or by one triangle, so nothing has the size of a full one but sysv's.
//
//   A X = B:   Z = A^-T X',   B' = Z,   A' = -Z X^T where elements are stored
//
// What they leave of A has no derivative: who uses it gets none that is a number.

#include "blas/Kernels.h"
#include "blas/Record.h"

#include <limits>
#include <utility>

namespace contraflow::blas {
namespace {

/// The arrays that hold the matrix: values or a shadow.
template <typename T> struct Stored {
  Matrix<T> Parts[3];

  explicit operator bool() const { return Parts[0] || Parts[1] || Parts[2]; }
};

/// Where the elements of a system are.
template <typename T> struct System {
  int32_t What;
  int64_t N, Columns, Below, Above; ///< diagonals on either side
  bool UpperTriangle = false;       ///< of a symmetric matrix
  int Arrays = 1;                   ///< then comes B

  explicit System(const Record<T> &R) : What(R.What), N(R.Size[0]), Columns(R.Size[1]) {
    UpperTriangle = R.Flag[0] == 'U';
    Below = Above = 1;
    if (What == R_gtsv)
      Arrays = 3;
    if (What == R_ptsv)
      Arrays = 2;
    if (What == R_sysv)
      Below = Above = std::max<int64_t>(N - 1, 0);
    if (What == R_pbsv)
      Below = Above = R.Size[1];
    if (What == R_gbsv)
      Below = R.Size[1], Above = R.Size[2];
    if (What == R_pbsv || What == R_gbsv)
      Columns = R.Size[What == R_pbsv ? 2 : 3];
  }
  bool isSymmetric() const { return What == R_ptsv || What == R_pbsv || What == R_sysv; }

  /// The arrays as the Visitor sees them: by an index, and as vectors or matrices.
  template <typename Vector, typename Full> Stored<T> read(Vector V, Full M) const {
    const int64_t Fewer = std::max<int64_t>(N - 1, 0);
    switch (What) {
    case R_gtsv:
      return {{V(0, Fewer), V(1, N), V(2, Fewer)}};
    case R_ptsv:
      return {{V(1, Fewer), V(0, N), {}}};
    case R_gbsv:
      return {{M(0, 2 * Below + Above + 1, N), {}, {}}};
    case R_pbsv:
      return {{M(0, Below + 1, N), {}, {}}};
    default:
      return {{M(0, N, N), {}, {}}};
    }
  }
  Stored<T> values(const Record<T> &R) const {
    return read([&](int I, int64_t Length) { return R.vector(I, Length); },
                [&](int I, int64_t Rows, int64_t Cols) { return R.matrix(I, Rows, Cols); });
  }
  Stored<T> shadows(const Record<T> &R) const {
    return read([&](int I, int64_t Length) { return R.vectorShadow(I, Length); },
                [&](int I, int64_t Rows, int64_t Cols) { return R.shadow(I, Rows, Cols); });
  }

  /// Null if the array is.
  T *element(const Stored<T> &A, int64_t I, int64_t J) const {
    auto At = [](Matrix<T> M, int64_t Row, int64_t Column) {
      return M ? &M(Row, Column) : nullptr;
    };
    if (What == R_gtsv || What == R_ptsv)
      return I == J ? At(A.Parts[1], I, 0) : At(A.Parts[I > J ? 0 : 2], std::min(I, J), 0);
    if (What == R_sysv)
      return At(A.Parts[0], I, J);
    const int64_t Diagonal = What == R_gbsv ? Below + Above : UpperTriangle ? Above : 0;
    return At(A.Parts[0], Diagonal + I - J, J);
  }

  /// Calls Visit(i, j) for every element that is stored.
  template <typename Visitor> void each(Visitor Visit) const {
    const bool OneSide = isSymmetric(), Upper = UpperTriangle && What != R_ptsv;
    for (int64_t J = 0; J < N; ++J) {
      const int64_t First = OneSide && !Upper ? J : std::max<int64_t>(J - Above, 0);
      const int64_t Last = OneSide && Upper ? J : std::min(J + Below, N - 1);
      for (int64_t I = First; I <= Last; ++I)
        Visit(I, J);
    }
  }
};

template <typename T> bool isLarger(const T &A, const T &B) {
  auto Size = [](const T &V) { return V < T(0) ? T(0) - V : V; };
  return Size(B) < Size(A);
}

/// A matrix with few diagonals, and as many above as elimination adds.
template <typename T> class Band {
public:
  Band(const System<T> &S, const Stored<T> &A, bool Transposed)
      : N(S.N), Below(Transposed ? S.Above : S.Below),
        Above(std::min((Transposed ? S.Below : S.Above) + Below, std::max<int64_t>(N - 1, 0))),
        Rows(Below + Above + 1, N) {
    S.each([&](int64_t I, int64_t J) {
      const T Value = *S.element(A, I, J);
      if (S.isSymmetric() || !Transposed)
        at(I, J) = Value;
      if (S.isSymmetric() || Transposed)
        at(J, I) = Value;
    });
  }

  /// X = A^-1 X, by elimination with row interchanges.
  void solve(Matrix<T> X) {
    for (int64_t J = 0; J < N; ++J)
      eliminate(J, X);
    for (int64_t J = N - 1; J >= 0; --J)
      for (int64_t K = 0; K < X.Columns; ++K) {
        X(J, K) /= at(J, J);
        for (int64_t I = std::max<int64_t>(J - Above, 0); I < J; ++I)
          X(I, K) -= at(I, J) * X(J, K);
      }
  }

private:
  T &at(int64_t I, int64_t J) { return Rows(Above + I - J, J); }

  void eliminate(int64_t J, Matrix<T> X) {
    const int64_t Last = std::min(J + Below, N - 1), Right = std::min(J + Above, N - 1);
    int64_t Pivot = J;
    for (int64_t I = J + 1; I <= Last; ++I)
      if (isLarger(at(I, J), at(Pivot, J)))
        Pivot = I;
    if (Pivot != J) {
      for (int64_t K = J; K <= Right; ++K)
        std::swap(at(J, K), at(Pivot, K));
      for (int64_t K = 0; K < X.Columns; ++K)
        std::swap(X(J, K), X(Pivot, K));
    }
    for (int64_t I = J + 1; I <= Last; ++I) {
      const T Factor = at(I, J) / at(J, J);
      if (Factor == T(0))
        continue;
      for (int64_t K = J + 1; K <= Right; ++K)
        at(I, K) -= Factor * at(J, K);
      for (int64_t K = 0; K < X.Columns; ++K)
        X(I, K) -= Factor * X(J, K);
    }
  }

  int64_t N, Below, Above;
  Room<T> Rows;
};

template <typename T> void before(Record<T> &R) {
  const Stored<T> A = System<T>(R).values(R);
  for (int I = 0; I < 3; ++I)
    if (A.Parts[I])
      R.Old[I] = R.keep(A.Parts[I]);
}

template <typename T> Stored<T> keptOf(const Record<T> &R) {
  return {{R.Old[0], R.Old[1], R.Old[2]}};
}

template <typename T> void after(Record<T> &R) {
  const System<T> S(R);
  const Matrix<T> X = R.matrix(S.Arrays, S.N, S.Columns);
  R.New[0] = R.Tangent ? X : R.keep(X);
}

/// Calls Visit for every element that the routine writes: of symmetric matrices one triangle.
template <typename T, typename Visitor>
void eachWritten(const System<T> &S, const Stored<T> &A, Visitor Visit) {
  if (S.isSymmetric()) {
    S.each([&](int64_t I, int64_t J) {
      if (T *Element = S.element(A, I, J))
        Visit(*Element);
    });
    return;
  }
  for (Matrix<T> M : A.Parts)
    if (M)
      contraflow::blas::each(M.Rows, M.Columns, Part::All,
                             [&](int64_t I, int64_t J) { Visit(M(I, J)); });
}

template <typename T> T noNumber() {
  const auto NaN = std::numeric_limits<Real<T>>::quiet_NaN();
  if constexpr (IsDual<T>)
    return {NaN, NaN};
  else
    return NaN;
}

/// Shadows of the factors: nothing, unless A, or in reverse what they are used for, varies.
template <typename T> void spoil(const System<T> &S, const Stored<T> &Shadows) {
  bool Varies = false;
  eachWritten(S, Shadows, [&](const T &V) { Varies |= !(V == T(0)); });
  const T None = Varies ? noNumber<T>() : T(0);
  eachWritten(S, Shadows, [&](T &V) { V = None; });
}

template <typename T> void tangent(Record<T> &R) {
  const System<T> S(R);
  const Stored<T> Dots = S.shadows(R);
  const Matrix<T> X = R.New[0], BDot = R.shadow(S.Arrays, S.N, S.Columns);
  if (BDot && Dots)
    S.each([&](int64_t I, int64_t J) {
      const T *Dot = S.element(Dots, I, J);
      for (int64_t K = 0; Dot && K < S.Columns; ++K) {
        BDot(I, K) -= *Dot * X(J, K);
        if (S.isSymmetric() && I != J)
          BDot(J, K) -= *Dot * X(I, K);
      }
    });
  if (BDot)
    Band<T>(S, keptOf(R), false).solve(BDot);
  spoil(S, Dots);
}

template <typename T> void adjoint(Record<T> &R) {
  const System<T> S(R);
  const Stored<T> Bars = S.shadows(R);
  const Matrix<T> X = R.New[0], BBar = R.shadow(S.Arrays, S.N, S.Columns);
  spoil(S, Bars);
  if (!BBar)
    return;
  Band<T>(S, keptOf(R), true).solve(BBar);
  if (!Bars)
    return;
  S.each([&](int64_t I, int64_t J) {
    T *Bar = S.element(Bars, I, J);
    for (int64_t K = 0; Bar && K < S.Columns; ++K) {
      *Bar -= BBar(I, K) * X(J, K);
      if (S.isSymmetric() && I != J)
        *Bar -= BBar(J, K) * X(I, K);
    }
  });
}

} // namespace

template <typename T> Family<T> systemFamily(int32_t) {
  return {before<T>, after<T>, tangent<T>, adjoint<T>};
}

#define CF_FAMILY(T) template Family<T> systemFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
