// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "blas/Kernels.h"

#include <cmath>
#include <numeric>

#define CF_WEAK __attribute__((weak, visibility("default")))

// As the Fortran names are called from C. Integers are read as 32 bits or 64, whichever the library
// has: they are small, and 64 bits are there.
extern "C" {
#define CF_PROGRAMS_BLAS(Letter, Suffix, T)                                                        \
  CF_WEAK void Letter##gemm##Suffix(const char *, const char *, const int64_t *, const int64_t *,  \
                                    const int64_t *, const T *, const T *, const int64_t *,        \
                                    const T *, const int64_t *, const T *, T *, const int64_t *,   \
                                    size_t, size_t);                                               \
  CF_WEAK void Letter##trsm##Suffix(const char *, const char *, const char *, const char *,        \
                                    const int64_t *, const int64_t *, const T *, const T *,        \
                                    const int64_t *, T *, const int64_t *, size_t, size_t, size_t, \
                                    size_t);                                                       \
  CF_WEAK void Letter##syev##Suffix(const char *, const char *, const int64_t *, T *,              \
                                    const int64_t *, T *, T *, const int64_t *, int64_t *, size_t, \
                                    size_t);
CF_PROGRAMS_BLAS(d, _, double)
CF_PROGRAMS_BLAS(s, _, float)
CF_PROGRAMS_BLAS(d, _64_, double)
CF_PROGRAMS_BLAS(s, _64_, float)
}

namespace contraflow::blas {
namespace {

/// The one of two names that the program has.
template <typename F> F *either(F *Usual, F *Wide) { return Usual ? Usual : Wide; }

template <typename T> struct Program;
template <> struct Program<double> {
  static auto gemm() { return either(&dgemm_, &dgemm_64_); }
  static auto trsm() { return either(&dtrsm_, &dtrsm_64_); }
  static auto syev() { return either(&dsyev_, &dsyev_64_); }
};
template <> struct Program<float> {
  static auto gemm() { return either(&sgemm_, &sgemm_64_); }
  static auto trsm() { return either(&strsm_, &strsm_64_); }
  static auto syev() { return either(&ssyev_, &ssyev_64_); }
};

constexpr int64_t SmallProduct = 8 * 8 * 8;

/// What BLAS calls a matrix: columns, or rows ('T'), without gaps.
template <typename T> struct Stored {
  char Form = 0; ///< 0: neither
  int64_t Leading = 0;

  explicit Stored(Matrix<T> M) {
    if ((M.DownStep == 1 || M.Rows == 1) && M.RightStep >= std::max<int64_t>(1, M.Rows))
      *this = {'N', M.RightStep};
    else if ((M.RightStep == 1 || M.Columns == 1) && M.DownStep >= std::max<int64_t>(1, M.Columns))
      *this = {'T', M.DownStep};
  }

private:
  Stored(char Form, int64_t Leading) : Form(Form), Leading(Leading) {}
};

template <typename T> bool multiplyByProgram(T Factor, Matrix<T> A, Matrix<T> B, Matrix<T> C) {
  if (!Program<T>::gemm() || C.Rows * C.Columns * A.Columns <= SmallProduct)
    return false;
  const Stored<T> FormA(A), FormB(B), FormC(C);
  if (!FormA.Form || !FormB.Form || !FormC.Form)
    return false;
  if (FormC.Form == 'T')
    return multiplyByProgram(Factor, B.t(), A.t(), C.t());
  const T One = 1;
  Program<T>::gemm()(&FormA.Form, &FormB.Form, &C.Rows, &C.Columns, &A.Columns, &Factor, A.At,
                     &FormA.Leading, B.At, &FormB.Leading, &One, C.At, &FormC.Leading, 1, 1);
  return true;
}

template <typename T> bool solveByProgram(Matrix<T> A, Part P, bool Unit, Matrix<T> B) {
  if (!Program<T>::trsm() || A.Rows * A.Rows * B.Columns <= SmallProduct)
    return false;
  const Stored<T> FormA(A), FormB(B);
  if (!FormA.Form || !FormB.Form)
    return false;
  // Rows of B are columns of its transpose: A X = B becomes X^T A^T = B^T.
  const bool Right = FormB.Form == 'T';
  const bool Transposed = (FormA.Form == 'T') != Right;
  const Part InMemory = FormA.Form == 'T' ? flipped(P) : P;
  const char Side = Right ? 'R' : 'L', Uplo = InMemory == Part::Lower ? 'L' : 'U';
  const char Trans = Transposed ? 'T' : 'N', Diagonal = Unit ? 'U' : 'N';
  const T One = 1;
  Program<T>::trsm()(&Side, &Uplo, &Trans, &Diagonal, Right ? &B.Columns : &B.Rows,
                     Right ? &B.Rows : &B.Columns, &One, A.At, &FormA.Leading, B.At, &FormB.Leading,
                     1, 1, 1, 1);
  return true;
}

template <typename T> bool eigenvectorsByProgram(Matrix<T> Values, Matrix<T> Vectors) {
  if (!Program<T>::syev() || Vectors.Rows < 8)
    return false;
  const int64_t N = Vectors.Rows, Size = 64 * N;
  std::vector<T> Work(static_cast<size_t>(Size));
  int64_t Info = 0;
  Program<T>::syev()("V", "L", &N, Vectors.At, &Vectors.RightStep, Values.At, Work.data(), &Size,
                     &Info, 1, 1);
  return static_cast<int32_t>(Info) == 0;
}

/// Jacobi: turns rows and columns P, Q so that the element (P, Q) vanishes.
template <typename T> void turn(Matrix<T> A, Matrix<T> V, int64_t P, int64_t Q) {
  const T Theta = (A(Q, Q) - A(P, P)) / (2 * A(P, Q));
  const T Tangent = std::copysign(T(1), Theta) / (std::abs(Theta) + std::hypot(Theta, T(1)));
  const T C = 1 / std::hypot(Tangent, T(1)), S = Tangent * C;
  auto Rotate = [&](T &X, T &Y) {
    const T Old = X;
    X = C * Old - S * Y;
    Y = S * Old + C * Y;
  };
  for (int64_t I = 0; I < A.Rows; ++I)
    Rotate(A(I, P), A(I, Q));
  for (int64_t I = 0; I < A.Rows; ++I) {
    Rotate(A(P, I), A(Q, I));
    Rotate(V(I, P), V(I, Q));
  }
}

template <typename T> void jacobi(Matrix<T> A, Matrix<T> V) {
  constexpr int MostSweeps = 60;
  for (int Sweep = 0; Sweep < MostSweeps; ++Sweep) {
    bool Turned = false;
    for (int64_t Q = 1; Q < A.Rows; ++Q)
      for (int64_t P = 0; P < Q; ++P) {
        const T Size = std::abs(A(P, P)) + std::abs(A(Q, Q));
        if (Size + std::abs(A(P, Q)) == Size)
          continue;
        turn(A, V, P, Q);
        Turned = true;
      }
    if (!Turned)
      return;
  }
}

template <typename T>
void eigenvectorsOfReal(Matrix<T> Symmetric, Matrix<T> Values, Matrix<T> Vectors) {
  copy(Symmetric, Vectors);
  if (eigenvectorsByProgram(Values, Vectors))
    return;
  const int64_t N = Symmetric.Rows;
  Room<T> A(N, N), V(N, N);
  copy<T>(Symmetric, A);
  for (int64_t I = 0; I < N; ++I)
    V(I, I) = 1;
  jacobi<T>(A, V);
  std::vector<int64_t> Order(static_cast<size_t>(N));
  std::iota(Order.begin(), Order.end(), int64_t{0});
  std::sort(Order.begin(), Order.end(), [&](int64_t I, int64_t J) { return A(I, I) < A(J, J); });
  for (int64_t J = 0; J < N; ++J) {
    const int64_t From = Order[static_cast<size_t>(J)];
    Values(J, 0) = A(From, From);
    copy(V.column(From), Vectors.column(J));
  }
}

/// The numbers and the tangents of a matrix of pairs, apart: what the program's BLAS takes.
template <typename S> struct Parts {
  Room<S> Value, Dot;

  explicit Parts(Matrix<Dual<S>> M) : Value(M.Rows, M.Columns), Dot(M.Rows, M.Columns) {
    each(M.Rows, M.Columns, Part::All, [&](int64_t I, int64_t J) {
      Value(I, J) = M(I, J).Value;
      Dot(I, J) = M(I, J).Dot;
    });
  }
};

template <typename S>
void multiplyPairs(Dual<S> Factor, Matrix<Dual<S>> A, Matrix<Dual<S>> B, Matrix<Dual<S>> C) {
  const Parts<S> APart(A), BPart(B);
  Room<S> Value(C.Rows, C.Columns), Dot(C.Rows, C.Columns);
  multiply<S>(S(1), APart.Value, BPart.Value, Value);
  multiply<S>(S(1), APart.Value, BPart.Dot, Dot);
  multiply<S>(S(1), APart.Dot, BPart.Value, Dot);
  each(C.Rows, C.Columns, Part::All,
       [&](int64_t I, int64_t J) { C(I, J) += Factor * Dual<S>(Value(I, J), Dot(I, J)); });
}

/// X' = A^-1 (B' - A' X).
template <typename S> void solvePairs(Matrix<Dual<S>> A, Part P, bool Unit, Matrix<Dual<S>> B) {
  const Parts<S> APart(A), BPart(B);
  Room<S> ADot(A.Rows, A.Rows);
  expandTangent<S>(APart.Dot, P, Unit ? Shape::UnitTriangular : Shape::Triangular, ADot);
  solve<S>(APart.Value, P, Unit, BPart.Value);
  multiply<S>(S(-1), ADot, BPart.Value, BPart.Dot);
  solve<S>(APart.Value, P, Unit, BPart.Dot);
  each(B.Rows, B.Columns, Part::All,
       [&](int64_t I, int64_t J) { B(I, J) = {BPart.Value(I, J), BPart.Dot(I, J)}; });
}

/// w' is the diagonal of M = V^T A' V; V' = V (M(i, j) / (w_j - w_i)).
template <typename S>
void eigenvectorsOfPairs(Matrix<Dual<S>> Symmetric, Matrix<Dual<S>> Values,
                         Matrix<Dual<S>> Vectors) {
  const int64_t N = Symmetric.Rows;
  const Parts<S> A(Symmetric);
  Room<S> W(N, 1), V(N, N), Half(N, N), Middle(N, N), VDot(N, N);
  eigenvectorsOfReal<S>(A.Value, W, V);
  multiply<S>(S(1), A.Dot, V, Half);
  multiply<S>(S(1), V.t(), Half, Middle);
  for (int64_t I = 0; I < N; ++I) {
    Values(I, 0) = {W(I, 0), Middle(I, I)};
    Middle(I, I) = 0;
  }
  each(N, N, Part::All, [&](int64_t I, int64_t J) {
    if (Middle(I, J) != S(0))
      Middle(I, J) /= W(J, 0) - W(I, 0);
  });
  multiply<S>(S(1), V, Middle, VDot);
  each(N, N, Part::All, [&](int64_t I, int64_t J) { Vectors(I, J) = {V(I, J), VDot(I, J)}; });
}

} // namespace

template <typename T> void multiply(T Factor, Matrix<T> A, Matrix<T> B, Matrix<T> C) {
  if constexpr (IsDual<T>) {
    if (C.Rows * C.Columns * A.Columns > SmallProduct)
      return multiplyPairs(Factor, A, B, C);
  } else if (multiplyByProgram(Factor, A, B, C)) {
    return;
  }
  for (int64_t J = 0; J < C.Columns; ++J)
    for (int64_t K = 0; K < A.Columns; ++K) {
      const T Weight = Factor * B(K, J);
      for (int64_t I = 0; I < C.Rows; ++I)
        C(I, J) += Weight * A(I, K);
    }
}

template <typename T> void solve(Matrix<T> A, Part P, bool Unit, Matrix<T> B) {
  if constexpr (IsDual<T>) {
    if (A.Rows * A.Rows * B.Columns > SmallProduct)
      return solvePairs(A, P, Unit, B);
  } else if (solveByProgram(A, P, Unit, B)) {
    return;
  }
  const int64_t N = A.Rows;
  for (int64_t Step = 0; Step < N; ++Step) {
    const int64_t I = P == Part::Lower ? Step : N - 1 - Step;
    const int64_t First = P == Part::Lower ? 0 : I + 1, Last = P == Part::Lower ? I : N;
    for (int64_t J = 0; J < B.Columns; ++J) {
      T Sum = B(I, J);
      for (int64_t K = First; K < Last; ++K)
        Sum -= A(I, K) * B(K, J);
      B(I, J) = Unit ? Sum : Sum / A(I, I);
    }
  }
}

template <typename T> void eigenvectors(Matrix<T> Symmetric, Matrix<T> Values, Matrix<T> Vectors) {
  if constexpr (IsDual<T>)
    return eigenvectorsOfPairs(Symmetric, Values, Vectors);
  else
    eigenvectorsOfReal(Symmetric, Values, Vectors);
}

template <typename T>
void interchange(Matrix<T> M, const int32_t *Pivots, int64_t Count, bool Forward) {
  for (int64_t Step = 0; Step < Count; ++Step) {
    const int64_t I = Forward ? Step : Count - 1 - Step;
    const int64_t Other = Pivots[I] - 1;
    for (int64_t J = 0; Other != I && J < M.Columns; ++J)
      std::swap(M(I, J), M(Other, J));
  }
}
#define CF_KERNELS(T)                                                                              \
  template void multiply<T>(T, Matrix<T>, Matrix<T>, Matrix<T>);                                   \
  template void solve<T>(Matrix<T>, Part, bool, Matrix<T>);                                        \
  template void eigenvectors<T>(Matrix<T>, Matrix<T>, Matrix<T>);                                  \
  template void interchange<T>(Matrix<T>, const int32_t *, int64_t, bool);
CF_BLAS_NUMBERS(CF_KERNELS)

} // namespace contraflow::blas
