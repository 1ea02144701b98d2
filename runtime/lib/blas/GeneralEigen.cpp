// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// geev: eigenvalues w and vectors of a real matrix that is not symmetric.
//
//   A V = V diag w,  P = V^-1 A' V:   w_j' = p_jj,   v_j' = sum_k v_k p_kj / (w_j - w_k) + c v_j
//
// where c keeps the length of v_j, and its largest element real, as LAPACK scales it. In reverse
//
//   A' = Re (V^-H P' V^H),   p_kj' = v_k^H v_j' / conj(w_j - w_k),   p_jj' = w_j'
//
// Numbers that are conjugates of each other share two columns, a real and an imaginary one; what is
// asked of the second number is asked of the first. Left vectors are right ones of A^T, with the
// conjugates of the eigenvalues.

#include "blas/Kernels.h"
#include "blas/Record.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace contraflow::blas {
namespace {

template <typename T> struct Complex {
  T Re = 0, Im = 0;

  Complex conj() const { return {Re, T(0) - Im}; }
  T square() const { return Re * Re + Im * Im; }
  bool isZero() const { return Re == T(0) && Im == T(0); }
  friend Complex operator+(Complex A, Complex B) { return {A.Re + B.Re, A.Im + B.Im}; }
  friend Complex operator-(Complex A, Complex B) { return {A.Re - B.Re, A.Im - B.Im}; }
  friend Complex operator*(Complex A, Complex B) {
    return {A.Re * B.Re - A.Im * B.Im, A.Re * B.Im + A.Im * B.Re};
  }
  friend Complex operator/(Complex A, Complex B) {
    const T Size = B.square();
    const Complex Product = A * B.conj();
    return {Product.Re / Size, Product.Im / Size};
  }
  Complex &operator+=(Complex B) { return *this = *this + B; }
  Complex &operator-=(Complex B) { return *this = *this - B; }
};

template <typename T> using ComplexRoom = Room<Complex<T>>;
template <typename T> using ComplexMatrix = Matrix<Complex<T>>;

template <typename T>
void multiplyComplex(ComplexMatrix<T> A, ComplexMatrix<T> B, ComplexMatrix<T> C) {
  for (int64_t J = 0; J < C.Columns; ++J)
    for (int64_t K = 0; K < A.Columns; ++K)
      for (int64_t I = 0; I < C.Rows; ++I)
        C(I, J) += A(I, K) * B(K, J);
}

/// To = A^H.
template <typename T> void transposeConjugate(ComplexMatrix<T> A, ComplexMatrix<T> To) {
  each(A.Rows, A.Columns, Part::All, [&](int64_t I, int64_t J) { To(J, I) = A(I, J).conj(); });
}

/// B = A^-1 B by elimination; A is lost.
template <typename T> void solveComplex(ComplexMatrix<T> A, ComplexMatrix<T> B) {
  const int64_t N = A.Rows;
  auto AddRow = [](ComplexMatrix<T> M, int64_t To, Complex<T> Factor, int64_t From) {
    for (int64_t K = 0; K < M.Columns; ++K)
      M(To, K) -= Factor * M(From, K);
  };
  for (int64_t J = 0; J < N; ++J) {
    int64_t Pivot = J;
    for (int64_t I = J + 1; I < N; ++I)
      if (A(Pivot, J).square() < A(I, J).square())
        Pivot = I;
    for (int64_t K = 0; Pivot != J && K < N; ++K)
      std::swap(A(J, K), A(Pivot, K));
    for (int64_t K = 0; Pivot != J && K < B.Columns; ++K)
      std::swap(B(J, K), B(Pivot, K));
    for (int64_t I = J + 1; I < N; ++I) {
      const Complex<T> Factor = A(I, J) / A(J, J);
      AddRow(A, I, Factor, J);
      AddRow(B, I, Factor, J);
    }
  }
  for (int64_t J = N - 1; J >= 0; --J) {
    for (int64_t K = 0; K < B.Columns; ++K)
      B(J, K) = B(J, K) / A(J, J);
    for (int64_t I = 0; I < J; ++I)
      AddRow(B, I, A(I, J), J);
  }
}

/// Eigenvalues and one kind of vectors, which belong to A or to its transpose.
template <typename T> struct Basis {
  ComplexRoom<T> W, V, Inverse;

  explicit Basis(int64_t N) : W(N, 1), V(N, N), Inverse(N, N) {}
  int64_t size() const { return W.Rows; }
  bool isPair(int64_t J) const { return J + 1 < size() && !(realOf(W(J, 0).Im) == 0); }
  /// 2 for the first of two numbers.
  int64_t width(int64_t J) const { return isPair(J) ? 2 : 1; }
  void invert() {
    ComplexRoom<T> Copy(size(), size());
    copy<Complex<T>>(V, Copy);
    for (int64_t I = 0; I < size(); ++I)
      Inverse(I, I) = {1, 0};
    solveComplex<T>(Copy, Inverse);
  }
  /// Calls Visit(first column, width).
  template <typename Visitor> void eachNumber(Visitor Visit) const {
    for (int64_t J = 0; J < size(); J += width(J))
      Visit(J, width(J));
  }
  /// M(k, j) / (w_j - w_k), or the conjugate: nothing where there is nothing to divide.
  void divide(ComplexMatrix<T> M, bool Conjugate) const {
    each(size(), size(), Part::All, [&](int64_t K, int64_t J) {
      const Complex<T> Gap = W(J, 0) - W(K, 0);
      if (K == J)
        M(K, J) = {};
      else if (!M(K, J).isZero())
        M(K, J) = M(K, J) / (Conjugate ? Gap.conj() : Gap);
    });
  }
  /// The row of the largest element, which is real in a complex vector.
  int64_t largest(int64_t J) const {
    int64_t Row = 0;
    for (int64_t I = 1; I < size(); ++I)
      if (V(Row, J).square() < V(I, J).square())
        Row = I;
    return Row;
  }
};

/// The numbers that one or two columns hold.
template <typename T>
void readVectors(Matrix<T> Stored, const Basis<T> &B, ComplexMatrix<T> To, bool Both) {
  B.eachNumber([&](int64_t J, int64_t Width) {
    for (int64_t I = 0; I < Stored.Rows; ++I) {
      To(I, J) = {Stored(I, J), Width == 2 ? Stored(I, J + 1) : T(0)};
      if (Width == 2)
        To(I, J + 1) = Both ? To(I, J).conj() : Complex<T>();
    }
  });
}

/// P = V^-1 A' V.
template <typename T> void move(const Basis<T> &B, Matrix<T> ADot, ComplexMatrix<T> P) {
  const int64_t N = B.size();
  ComplexRoom<T> Half(N, N);
  for (int64_t J = 0; J < N; ++J)
    for (int64_t K = 0; K < N; ++K)
      for (int64_t I = 0; I < N; ++I)
        Half(I, J) += Complex<T>{ADot(I, K) * B.V(K, J).Re, ADot(I, K) * B.V(K, J).Im};
  multiplyComplex<T>(B.Inverse, Half, P);
}

/// VDot, of any length.
template <typename T> void turn(const Basis<T> &B, ComplexMatrix<T> P, ComplexMatrix<T> VDot) {
  ComplexRoom<T> Weights(B.size(), B.size());
  copy<Complex<T>>(P, Weights);
  B.divide(Weights, false);
  multiplyComplex<T>(B.V, Weights, VDot);
}

template <typename T> Complex<T> innerColumn(ComplexMatrix<T> A, ComplexMatrix<T> B, int64_t J) {
  Complex<T> Sum;
  for (int64_t I = 0; I < A.Rows; ++I)
    Sum += A(I, J).conj() * B(I, J);
  return Sum;
}

template <typename T> void vectorTangent(const Basis<T> &B, ComplexMatrix<T> P, Matrix<T> Dot) {
  const int64_t N = B.size();
  ComplexRoom<T> VDot(N, N);
  turn<T>(B, P, VDot);
  B.eachNumber([&](int64_t J, int64_t Width) {
    Complex<T> Along = {T(0) - innerColumn<T>(B.V, VDot, J).Re, 0};
    if (Width == 2) {
      const int64_t Row = B.largest(J);
      Along.Im = T(0) - VDot(Row, J).Im / B.V(Row, J).Re;
    }
    for (int64_t I = 0; I < N; ++I) {
      const Complex<T> Value = VDot(I, J) + Along * B.V(I, J);
      Dot(I, J) = Value.Re;
      if (Width == 2)
        Dot(I, J + 1) = Value.Im;
    }
  });
}

/// P' += what is asked of the vectors.
template <typename T> void vectorAdjoint(const Basis<T> &B, Matrix<T> Bar, ComplexMatrix<T> P) {
  const int64_t N = B.size();
  ComplexRoom<T> VBar(N, N), Conjugate(N, N), Weights(N, N);
  readVectors<T>(Bar, B, VBar, false);
  B.eachNumber([&](int64_t J, int64_t Width) {
    const Complex<T> Along = innerColumn<T>(B.V, VBar, J);
    for (int64_t I = 0; I < N; ++I)
      VBar(I, J) -= Complex<T>{Along.Re * B.V(I, J).Re, Along.Re * B.V(I, J).Im};
    if (Width == 2) {
      const int64_t Row = B.largest(J);
      VBar(Row, J).Im -= Along.Im / B.V(Row, J).Re;
    }
  });
  transposeConjugate<T>(B.V, Conjugate);
  multiplyComplex<T>(Conjugate, VBar, Weights);
  B.divide(Weights, true);
  each(N, N, Part::All, [&](int64_t I, int64_t J) { P(I, J) += Weights(I, J); });
}

/// To += Re (V^-H P V^H).
template <typename T> void moveBack(const Basis<T> &B, ComplexMatrix<T> P, Matrix<T> To) {
  const int64_t N = B.size();
  ComplexRoom<T> Left(N, N), Right(N, N), Half(N, N), Full(N, N);
  transposeConjugate<T>(B.Inverse, Left);
  transposeConjugate<T>(B.V, Right);
  multiplyComplex<T>(Left, P, Half);
  multiplyComplex<T>(Half, Right, Full);
  each(N, N, Part::All, [&](int64_t I, int64_t J) { To(I, J) += Full(I, J).Re; });
}

template <typename T> bool wants(const Record<T> &R, bool Left) {
  return R.Flag[Left ? 0 : 1] == 'V';
}

/// The vectors of a number by inverse iteration, if the call returns none.
template <typename T> void findVectors(Matrix<T> A, Basis<T> &B) {
  const int64_t N = B.size();
  T Size = 0;
  each(N, N, Part::All, [&](int64_t I, int64_t J) { Size += A(I, J) * A(I, J); });
  const T Shift = std::sqrt(Size) * std::numeric_limits<T>::epsilon() * 8;
  for (int64_t J = 0; J < N; ++J) {
    Matrix<Complex<T>> V = B.V.column(J);
    for (int64_t I = 0; I < N; ++I)
      V(I, 0) = {T(1) + T((I * 7 + J * 3) % 5) / 8, T((I * 3 + J) % 7) / 16};
    for (int Step = 0; Step < 3; ++Step) {
      ComplexRoom<T> Shifted(N, N);
      each(N, N, Part::All, [&](int64_t I, int64_t K) { Shifted(I, K) = {A(I, K), 0}; });
      for (int64_t I = 0; I < N; ++I)
        Shifted(I, I) -= B.W(J, 0) + Complex<T>{Shift, Shift / 2};
      solveComplex<T>(Shifted, V);
      T Length = 0;
      for (int64_t I = 0; I < N; ++I)
        Length += V(I, 0).square();
      for (int64_t I = 0; I < N; ++I)
        V(I, 0) = {V(I, 0).Re / std::sqrt(Length), V(I, 0).Im / std::sqrt(Length)};
    }
  }
}

/// Of pairs: the vectors of the numbers' values, and how they turn with A.
template <typename S> void findVectors(Matrix<Dual<S>> A, Basis<Dual<S>> &B) {
  const int64_t N = B.size();
  Basis<S> Value(N);
  Room<S> AValue(N, N), ADot(N, N);
  ComplexRoom<S> P(N, N), VDot(N, N);
  each(N, N, Part::All, [&](int64_t I, int64_t J) {
    AValue(I, J) = A(I, J).Value;
    ADot(I, J) = A(I, J).Dot;
  });
  for (int64_t J = 0; J < N; ++J)
    Value.W(J, 0) = {B.W(J, 0).Re.Value, B.W(J, 0).Im.Value};
  findVectors<S>(AValue, Value);
  Value.invert();
  move<S>(Value, ADot, P);
  turn<S>(Value, P, VDot);
  each(N, N, Part::All, [&](int64_t I, int64_t J) {
    B.V(I, J) = {{Value.V(I, J).Re, VDot(I, J).Re}, {Value.V(I, J).Im, VDot(I, J).Im}};
  });
}

template <typename T> void fillBasis(const Record<T> &R, bool Left, Basis<T> &B) {
  const int64_t N = R.Size[0];
  for (int64_t J = 0; J < N; ++J)
    B.W(J, 0) = {R.New[0](J, 0), Left ? T(0) - R.New[1](J, 0) : R.New[1](J, 0)};
  if (wants(R, Left))
    readVectors<T>(R.Old[Left ? 1 : 2], B, B.V, true);
  else
    findVectors(R.Old[0], B);
  B.invert();
}

template <typename T> void before(Record<T> &R) {
  if (!wants(R, true) && !wants(R, false))
    R.Old[0] = R.keep(R.matrix(0, R.Size[0], R.Size[0]));
}

template <typename T> void after(Record<T> &R) {
  const int64_t N = R.Size[0];
  auto Keep = [&](Matrix<T> M) { return R.Tangent ? M : R.keep(M); };
  R.New[0] = Keep(R.vector(1, N));
  R.New[1] = Keep(R.vector(2, N));
  for (const bool Left : {true, false})
    if (wants(R, Left))
      R.Old[Left ? 1 : 2] = Keep(R.matrix(Left ? 3 : 4, N, N));
}

/// Calls Visit(left, basis) for the vectors that the call returns, and for one kind at least; the
/// first one sees to the eigenvalues.
template <typename T, typename Visitor> void eachBasis(const Record<T> &R, Visitor Visit) {
  for (const bool Left : {false, true}) {
    if (!wants(R, Left) && (Left || wants(R, true)))
      continue;
    Basis<T> B(R.Size[0]);
    fillBasis(R, Left, B);
    Visit(Left, B);
  }
}

template <typename T> void tangent(Record<T> &R) {
  const int64_t N = R.Size[0];
  const Matrix<T> ADot = R.shadow(0, N, N), ReDot = R.vectorShadow(1, N);
  const Matrix<T> ImDot = R.vectorShadow(2, N);
  eachBasis(R, [&](bool Left, const Basis<T> &B) {
    ComplexRoom<T> P(N, N);
    if (ADot)
      move<T>(B, Left ? ADot.t() : ADot, P);
    for (int64_t J = 0; J < N; ++J) {
      if (ReDot)
        ReDot(J, 0) = P(J, J).Re;
      if (ImDot)
        ImDot(J, 0) = Left ? T(0) - P(J, J).Im : P(J, J).Im;
    }
    const Matrix<T> Dot = wants(R, Left) ? R.shadow(Left ? 3 : 4, N, N) : Matrix<T>();
    if (Dot)
      vectorTangent<T>(B, P, Dot);
  });
  if (ADot)
    fill(ADot, T(0));
}

/// P'(j, j): what is asked of the eigenvalues, which are numbered as those of A.
template <typename T>
void valueAdjoint(const Basis<T> &B, bool Left, Matrix<T> ReBar, Matrix<T> ImBar,
                  ComplexMatrix<T> P) {
  B.eachNumber([&](int64_t J, int64_t Width) {
    Complex<T> Bar;
    for (int64_t I = J; I < J + Width; ++I) {
      const T Sign = (I > J) == Left ? T(1) : T(-1);
      if (ReBar)
        Bar.Re += ReBar(I, 0);
      if (ImBar && Width == 2)
        Bar.Im += Sign * ImBar(I, 0);
    }
    P(J, J) += Bar;
  });
}

template <typename T> void adjoint(Record<T> &R) {
  const int64_t N = R.Size[0];
  const Matrix<T> ABar = R.shadow(0, N, N), ReBar = R.vectorShadow(1, N);
  const Matrix<T> ImBar = R.vectorShadow(2, N);
  Room<T> Sum(N, N);
  bool First = true;
  eachBasis(R, [&](bool Left, const Basis<T> &B) {
    ComplexRoom<T> P(N, N);
    if (std::exchange(First, false))
      valueAdjoint<T>(B, Left, ReBar, ImBar, P);
    const Matrix<T> Bar = wants(R, Left) ? R.shadow(Left ? 3 : 4, N, N) : Matrix<T>();
    if (Bar) {
      vectorAdjoint<T>(B, Bar, P);
      fill(Bar, T(0));
    }
    moveBack<T>(B, P, Left ? Sum.t() : Sum);
  });
  for (const Matrix<T> &Bar : {ReBar, ImBar})
    if (Bar)
      fill(Bar, T(0));
  if (ABar)
    copy<T>(Sum, ABar);
}

} // namespace

template <typename T> Family<T> generalEigenFamily(int32_t) {
  return {before<T>, after<T>, tangent<T>, adjoint<T>};
}

#define CF_FAMILY(T) template Family<T> generalEigenFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
