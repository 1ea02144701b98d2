// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors that lie in one array of diagonals, or in several vectors: what FactoredBands.cpp and
// FactoredSymmetric.cpp share. Their layouts say where things are:
//
//   S.Solves, S.N, S.Columns, S.Arrays     right-hand sides come behind so many arrays
//   S.read(vector, matrix)                 the arrays, each as asked for by its place and size
//   S.place(parts, i, j)                   where an element is; null in a null array

#pragma once

#include "blas/Kernels.h"
#include "blas/Record.h"

namespace contraflow::blas {

/// The arrays of one call.
template <typename T> struct Places {
  Matrix<T> Parts[4];

  explicit operator bool() const { return Parts[0] || Parts[1] || Parts[2] || Parts[3]; }
};

template <typename T, typename Layout> Places<T> valuesOf(const Layout &S, const Record<T> &R) {
  return S.read([&](int I, int64_t Length) { return R.vector(I, Length); },
                [&](int I, int64_t Down, int64_t Right) { return R.matrix(I, Down, Right); });
}

template <typename T, typename Layout> Places<T> shadowsOf(const Layout &S, const Record<T> &R) {
  return S.read([&](int I, int64_t Length) { return R.vectorShadow(I, Length); },
                [&](int I, int64_t Down, int64_t Right) { return R.shadow(I, Down, Right); });
}

/// A null array holds zeros, and what is added there is lost.
template <typename T, typename Layout> class ElementsOf {
public:
  ElementsOf(const Layout &S, const Places<T> &P) : S(S), P(P) {}

  T operator()(int64_t I, int64_t J) const {
    const T *At = S.place(P, I, J);
    return At ? *At : T(0);
  }
  void set(int64_t I, int64_t J, T Value) {
    if (T *At = S.place(P, I, J))
      *At = Value;
  }
  void add(int64_t I, int64_t J, T Value, bool Atomic = false) {
    if (T *At = S.place(P, I, J))
      addTo(*At, Value, Atomic);
  }

private:
  const Layout &S;
  Places<T> P;
};

/// B(To) += Factor Of(From).
template <typename T> void addRow(Matrix<T> B, int64_t To, T Factor, Matrix<T> Of, int64_t From) {
  for (int64_t K = 0; K < B.Columns; ++K)
    B(To, K) += Factor * Of(From, K);
}

template <typename T> T rowProduct(Matrix<T> A, int64_t I, Matrix<T> B, int64_t J) {
  T Sum = 0;
  for (int64_t K = 0; K < A.Columns; ++K)
    Sum += A(I, K) * B(J, K);
  return Sum;
}

template <typename T> Matrix<T> &keptPart(Record<T> &R, int Part) {
  return Part < 3 ? R.Old[Part] : R.New[0];
}

/// In front of a solution: the factors.
template <typename T, typename Layout> void keepGiven(Record<T> &R, const Layout &S) {
  const Places<T> A = valuesOf(S, R);
  for (int I = 0; I < S.Arrays; ++I)
    keptPart(R, I) = R.keepInput(I, A.Parts[I]);
}

/// Behind the call: the solution, or the factors.
template <typename T, typename Layout> void keepResult(Record<T> &R, const Layout &S) {
  auto Keep = [&](Matrix<T> M) { return R.Tangent ? M : R.keep(M); };
  if (S.Solves) {
    R.New[1] = Keep(R.matrix(S.Arrays, S.N, S.Columns));
    return;
  }
  const Places<T> A = valuesOf(S, R);
  for (int I = 0; I < S.Arrays; ++I)
    keptPart(R, I) = Keep(A.Parts[I]);
}

} // namespace contraflow::blas
