// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers lie in the program's arrays as pairs of real ones, and so do their tangents and
// adjoints: what is real is differentiated, and nothing has to be holomorphic. Of what is, the
// tangent is multiplied by the slope, and the adjoint by its conjugate:
//
//   C = alpha A B + beta C      A' += conj(alpha) C' B^H       alpha' += conj(A B) . C'
//                               B' += conj(alpha) A^H C'       beta' += conj(C) . C'
//                               C' = conj(beta) C'
//
// A and B are what the routine makes of its arrays (transposed, conjugated, one triangle mirrored),
// and axpy, scal, copy and dot are such products with a single row or column.

#include "blas/Complex.h"

#include <cmath>
#include <new>

namespace contraflow::blas {
namespace {

using namespace complex;

enum class Kind { Plain, Conjugate, Symmetric, Hermitian };

/// A factor, as the formula has it.
template <typename S> struct Factor {
  Both<S> Array;
  int Index = -1; ///< of the program's arrays
  Kind How = Kind::Plain;
  Part Stored = Part::All;

  bool mirrored(int64_t I, int64_t J) const {
    return (Stored == Part::Lower && I < J) || (Stored == Part::Upper && I > J);
  }
  /// From the element that is stored to that of the factor, and back.
  Complex<S> turned(Complex<S> V, int64_t I, int64_t J) const {
    if (How == Kind::Hermitian && I == J)
      return V.real();
    const bool Turns = How == Kind::Conjugate || (How == Kind::Hermitian && mirrored(I, J));
    return Turns ? std::conj(V) : V;
  }
  Complex<S> at(View<S> M, int64_t I, int64_t J) const {
    return turned(mirrored(I, J) ? M(J, I) : M(I, J), I, J);
  }
  void addBar(int64_t I, int64_t J, Complex<S> V, bool Atomic) const {
    Complex<S> &To = mirrored(I, J) ? Array.Bar(J, I) : Array.Bar(I, J);
    addTo(To, turned(V, I, J), Atomic);
  }
};

/// The formula for one call. Alpha and Beta are indices of arrays of one number.
template <typename S> struct Product {
  Factor<S> A, B;
  Both<S> C;
  int Alpha = -1, Beta = -1;
  bool Clears = false;               ///< beta is zero
  int RealAlpha = -1, RealBeta = -1; ///< indices of scalars
  Part Written = Part::All;          ///< of C
  bool RealDiagonal = false;         ///< of C
};

/// What begin keeps.
template <typename S> struct Kept {
  Complex<S> Alpha = 1, Beta = 1;
  View<S> A, B, C;
  S Norm = 0;
};

template <typename S> Both<S> one() {
  static Complex<S> One = 1;
  return {View<S>{&One, 1, 1, 0, 0}, {}};
}

/// op(array) of Rows and Columns.
template <typename S>
Factor<S> turnedFactor(const Record<S> &R, int Index, char How, int64_t Rows, int64_t Columns) {
  const bool Turned = How == 'T' || How == 'C';
  const Both<S> Array = matrixOf(R, Index, Turned ? Columns : Rows, Turned ? Rows : Columns);
  return {Turned ? Array.t() : Array, Index,
          How == 'C' || How == 'J' ? Kind::Conjugate : Kind::Plain, Part::All};
}

/// alpha A B + beta C with arrays alpha, A, B, beta, C.
template <typename S> Product<S> fullProduct(const Record<S> &R) {
  const int64_t M = R.Size[0], N = R.Size[1], K = R.Size[2];
  Product<S> P;
  P.Alpha = 0;
  P.Beta = 3;
  if (R.What == R_zgemm) {
    P.A = turnedFactor(R, 1, R.Flag[0], M, K);
    P.B = turnedFactor(R, 2, R.Flag[1], K, N);
    P.C = matrixOf(R, 4, M, N);
    return P;
  }
  if (R.What == R_zgemv) {
    const bool Turned = R.Flag[0] == 'T' || R.Flag[0] == 'C';
    const int64_t Rows = Turned ? N : M, Inner = Turned ? M : N;
    P.A = turnedFactor(R, 1, R.Flag[0], Rows, Inner);
    P.B = {vectorOf(R, 2, Inner), 2};
    P.C = vectorOf(R, 4, Rows);
    return P;
  }
  const bool Vector = R.What == R_zhemv, Right = !Vector && R.Flag[0] == 'R';
  const int64_t Order = Right ? N : M;
  P.A = {matrixOf(R, 1, Order, Order), 1, R.What == R_zsymm ? Kind::Symmetric : Kind::Hermitian,
         R.Flag[Vector ? 0 : 1] == 'L' ? Part::Lower : Part::Upper};
  P.B = {Vector ? vectorOf(R, 2, M) : matrixOf(R, 2, M, N), 2};
  P.C = Vector ? vectorOf(R, 4, M) : matrixOf(R, 4, M, N);
  if (Right) { // C^T = A^T B^T
    P.A = {P.A.Array.t(), 1, P.A.How, flipped(P.A.Stored)};
    P.B.Array = P.B.Array.t();
    P.C = P.C.t();
  }
  return P;
}

template <typename S> Product<S> dotProduct(const Record<S> &R, Both<S> Result, bool Conjugate) {
  const int64_t N = R.Size[0];
  Product<S> P;
  P.A = {vectorOf(R, 0, N).t(), 0, Conjugate ? Kind::Conjugate : Kind::Plain, Part::All};
  P.B = {vectorOf(R, 1, N), 1};
  P.C = Result;
  P.Clears = true;
  return P;
}

/// A A^T, or A A^H, on a triangle.
template <typename S> Product<S> squareOf(const Record<S> &R) {
  const int64_t N = R.Size[0], K = R.Size[1];
  const bool Hermitian = R.What == R_zherk, Turned = R.Flag[1] != 'N';
  const int Index = Hermitian ? 0 : 1;
  Product<S> P;
  P.A = turnedFactor(R, Index, Turned ? (Hermitian ? 'C' : 'T') : 'N', N, K);
  P.B = turnedFactor(R, Index, Turned ? 'N' : (Hermitian ? 'C' : 'T'), K, N);
  P.C = matrixOf(R, Hermitian ? 1 : 3, N, N);
  P.Written = R.Flag[0] == 'L' ? Part::Lower : Part::Upper;
  P.RealDiagonal = Hermitian;
  if (Hermitian) {
    P.RealAlpha = 0;
    P.RealBeta = 1;
  } else {
    P.Alpha = 0;
    P.Beta = 2;
  }
  return P;
}

template <typename S> Product<S> productOf(const Record<S> &R) {
  const int64_t M = std::max<int64_t>(R.Size[0], 0), N = R.Size[1];
  Product<S> P;
  switch (R.What) {
  case R_zgeru:
  case R_zgerc:
    P.Alpha = 0;
    P.A = {vectorOf(R, 1, M), 1};
    P.B = {vectorOf(R, 2, N).t(), 2, R.What == R_zgerc ? Kind::Conjugate : Kind::Plain, Part::All};
    P.C = matrixOf(R, 3, M, N);
    return P;
  case R_zaxpy:
    P.Alpha = 0;
    P.A = {vectorOf(R, 1, M), 1};
    P.B = {one<S>()};
    P.C = vectorOf(R, 2, M);
    return P;
  case R_zcopy:
    P.A = {vectorOf(R, 0, M), 0};
    P.B = {one<S>()};
    P.C = vectorOf(R, 1, M);
    P.Clears = true;
    return P;
  case R_zscal:
  case R_zdscal:
    (R.What == R_zscal ? P.Beta : P.RealBeta) = 0;
    P.C = vectorOf(R, R.What == R_zscal ? 1 : 0, M);
    P.A.Array.Value.Rows = M;
    return P; // there are no factors
  case R_zdotu:
  case R_zdotc:
    return dotProduct(R, {View<S>{nullptr, 1, 1, 1, 1}, View<S>{numbers(R.Result), 1, 1, 1, 1}},
                      R.What == R_zdotc);
  case R_zdotu_sub:
  case R_zdotc_sub:
    return dotProduct(R, matrixOf(R, 2, 1, 1), R.What == R_zdotc_sub);
  case R_zsyrk:
  case R_zherk:
    return squareOf(R);
  default:
    return fullProduct(R);
  }
}

template <typename S> S *realShadowOf(const Record<S> &R, int Index) {
  return Index < 0 ? nullptr : R.Scalars[Index].Derivative;
}
template <typename S> Complex<S> *shadowOf(const Record<S> &R, int Index) {
  return Index < 0 ? nullptr : numbers(R.Arrays[Index].Shadow);
}

/// What the routine only reads: a tangent finds it unchanged, the adjoint if it is stable.
template <typename S> View<S> keepFactor(Record<S> &R, const Factor<S> &F) {
  const bool Stays = F.Index < 0 || R.Tangent || R.Arrays[F.Index].Stable;
  return Stays ? F.Array.Value : keep(R, F.Array.Value, F.Stored);
}

template <typename S> Kept<S> *newKept(Record<S> &R) {
  R.Kept = new (R.reserve(sizeof(Kept<S>))) Kept<S>();
  return static_cast<Kept<S> *>(R.Kept);
}

template <typename S> void productBefore(Record<S> &R) {
  const Product<S> P = productOf(R);
  Kept<S> &K = *newKept(R);
  if (P.Alpha >= 0)
    K.Alpha = *numbers(R.Arrays[P.Alpha].At);
  K.Beta = P.Clears ? S(0) : P.Beta >= 0 ? *numbers(R.Arrays[P.Beta].At) : Complex<S>(1);
  if (P.RealAlpha >= 0)
    K.Alpha = R.Scalars[P.RealAlpha].Value;
  if (P.RealBeta >= 0)
    K.Beta = R.Scalars[P.RealBeta].Value;
  const bool Alpha = shadowOf(R, P.Alpha) || realShadowOf(R, P.RealAlpha);
  if (P.B.Array.Bar || Alpha)
    K.A = keepFactor(R, P.A);
  if (P.A.Array.Bar || Alpha)
    K.B = keepFactor(R, P.B);
  if (shadowOf(R, P.Beta) || realShadowOf(R, P.RealBeta))
    K.C = keep(R, P.C.Value, P.Written);
}

/// To += Alpha A B.
template <typename S>
void multiply(Complex<S> Alpha, const Factor<S> &A, View<S> AValue, const Factor<S> &B,
              View<S> BValue, View<S> To) {
  each(To.Rows, To.Columns, Part::All, [&](int64_t I, int64_t J) {
    Complex<S> Sum = 0;
    for (int64_t K = 0; K < AValue.Columns; ++K)
      Sum += A.at(AValue, I, K) * B.at(BValue, K, J);
    To(I, J) += Alpha * Sum;
  });
}

template <typename S> Complex<S> dotOfScalar(const Record<S> &R, int Index, int RealIndex) {
  if (const auto *Dot = shadowOf(R, Index))
    return *Dot;
  const S *Dot = realShadowOf(R, RealIndex);
  return Dot ? *Dot : S(0);
}

template <typename S> void productTangent(Record<S> &R) {
  Product<S> P = productOf(R);
  if (!P.C.Bar)
    return;
  const auto &K = *static_cast<Kept<S> *>(R.Kept);
  Room<Complex<S>> Sum(P.C.Bar.Rows, P.C.Bar.Columns);
  if (P.A.Array.Bar)
    multiply(K.Alpha, P.A, P.A.Array.Bar, P.B, K.B, Sum);
  if (P.B.Array.Bar)
    multiply(K.Alpha, P.A, K.A, P.B, P.B.Array.Bar, Sum);
  if (const auto Dot = dotOfScalar(R, P.Alpha, P.RealAlpha); Dot != Complex<S>(0))
    multiply(Dot, P.A, K.A, P.B, K.B, Sum);
  const Complex<S> BetaDot = dotOfScalar(R, P.Beta, P.RealBeta);
  each(Sum.Rows, Sum.Columns, P.Written, [&](int64_t I, int64_t J) {
    Complex<S> Dot = Sum(I, J);
    if (K.Beta != Complex<S>(0))
      Dot += K.Beta * P.C.Bar(I, J);
    if (K.C)
      Dot += BetaDot * K.C(I, J);
    P.C.Bar(I, J) = P.RealDiagonal && I == J ? Complex<S>(Dot.real()) : Dot;
  });
}

/// The sum of conj(of) * bar.
template <typename S> Complex<S> against(View<S> Of, View<S> Bar) {
  Complex<S> Sum = 0;
  each(Bar.Rows, Bar.Columns, Part::All,
       [&](int64_t I, int64_t J) { Sum += std::conj(Of(I, J)) * Bar(I, J); });
  return Sum;
}

template <typename S>
void adjointOfFactors(const Record<S> &R, const Product<S> &P, const Kept<S> &K) {
  const View<S> Seed = P.C.Bar;
  if (P.A.Array.Bar)
    each(P.A.Array.Value.Rows, P.A.Array.Value.Columns, Part::All, [&](int64_t I, int64_t L) {
      Complex<S> Sum = 0;
      for (int64_t J = 0; J < Seed.Columns; ++J)
        Sum += Seed(I, J) * std::conj(P.B.at(K.B, L, J));
      P.A.addBar(I, L, std::conj(K.Alpha) * Sum, R.Atomic);
    });
  if (P.B.Array.Bar)
    each(P.B.Array.Value.Rows, P.B.Array.Value.Columns, Part::All, [&](int64_t L, int64_t J) {
      Complex<S> Sum = 0;
      for (int64_t I = 0; I < Seed.Rows; ++I)
        Sum += std::conj(P.A.at(K.A, I, L)) * Seed(I, J);
      P.B.addBar(L, J, std::conj(K.Alpha) * Sum, R.Atomic);
    });
}

template <typename S> void addToScalars(Record<S> &R, int Index, int RealIndex, Complex<S> Bar) {
  if (auto *To = shadowOf(R, Index))
    addTo(*To, Bar, R.Atomic);
  if (realShadowOf(R, RealIndex))
    R.addToScalar(RealIndex, Bar.real());
}

template <typename S> void productAdjoint(Record<S> &R) {
  const Product<S> P = productOf(R);
  if (!P.C.Bar)
    return;
  const auto &K = *static_cast<Kept<S> *>(R.Kept);
  // A copy of the seed: copy and axpy may have one array twice.
  Room<Complex<S>> Seed(P.C.Bar.Rows, P.C.Bar.Columns);
  copy<Complex<S>>(P.C.Bar, Seed, P.Written);
  for (int64_t I = 0; P.RealDiagonal && I < Seed.Rows; ++I)
    Seed(I, I) = Seed(I, I).real();
  if (shadowOf(R, P.Alpha) || realShadowOf(R, P.RealAlpha)) {
    Room<Complex<S>> Value(Seed.Rows, Seed.Columns);
    multiply<S>(1, P.A, K.A, P.B, K.B, Value);
    addToScalars(R, P.Alpha, P.RealAlpha, against<S>(Value, Seed));
  }
  if (K.C)
    addToScalars(R, P.Beta, P.RealBeta, against<S>(K.C, Seed));
  each(Seed.Rows, Seed.Columns, P.Written, [&](int64_t I, int64_t J) {
    P.C.Bar(I, J) = K.Beta == Complex<S>(0) ? Complex<S>(0) : std::conj(K.Beta) * Seed(I, J);
  });
  Product<S> From = P;
  From.C.Bar = Seed;
  adjointOfFactors(R, From, K);
}

template <typename S> void swapShadows(Record<S> &R) {
  const int64_t N = std::max<int64_t>(R.Size[0], 0);
  const View<S> X = vectorOf(R, 0, N).Bar, Y = vectorOf(R, 1, N).Bar;
  for (int64_t I = 0; I < N; ++I) {
    const Complex<S> OfX = X ? X(I, 0) : Complex<S>(0);
    if (X)
      X(I, 0) = Y ? Y(I, 0) : Complex<S>(0);
    if (Y)
      Y(I, 0) = OfX;
  }
}

// nrm2 and asum: r = |x|, x' += r' x / |x|; the sum of |re| and |im|

template <typename S> void normBefore(Record<S> &R) {
  Kept<S> &K = *newKept(R);
  K.A = keep(R, vectorOf(R, 0, std::max<int64_t>(R.Size[0], 0)).Value, Part::All);
  for (int64_t I = 0; I < K.A.Rows; ++I)
    K.Norm = std::hypot(K.Norm, std::abs(K.A(I, 0)));
}

template <typename S> Complex<S> slopeOf(int32_t What, const Kept<S> &K, int64_t I) {
  const Complex<S> X = K.A(I, 0);
  if (What == R_dznrm2)
    return K.Norm == 0 ? Complex<S>(0) : X / K.Norm;
  auto Sign = [](S V) { return V == 0 ? S(0) : std::copysign(S(1), V); };
  return {Sign(X.real()), Sign(X.imag())};
}

template <typename S> void normTangent(Record<S> &R) {
  const auto &K = *static_cast<Kept<S> *>(R.Kept);
  const View<S> Dot = vectorOf(R, 0, K.A.Rows).Bar;
  *R.Result = 0;
  for (int64_t I = 0; Dot && I < K.A.Rows; ++I)
    *R.Result += (std::conj(slopeOf(R.What, K, I)) * Dot(I, 0)).real();
}

template <typename S> void normAdjoint(Record<S> &R) {
  const auto &K = *static_cast<Kept<S> *>(R.Kept);
  const View<S> Bar = vectorOf(R, 0, K.A.Rows).Bar;
  for (int64_t I = 0; Bar && I < K.A.Rows; ++I)
    addTo(Bar(I, 0), *R.Result * slopeOf(R.What, K, I), R.Atomic);
}

} // namespace

template <typename T> Family<T> complexFamily(int32_t What) {
  if constexpr (IsDual<T>) {
    return {}; // the compiler refuses derivatives of derivatives
  } else {
    if (What == R_ztrmm || What == R_ztrsm || What == R_ztrmv || What == R_ztrsv)
      return complexTriangularFamily<T>();
    if (What == R_zswap)
      return {nullptr, nullptr, swapShadows<T>, swapShadows<T>};
    if (What == R_dznrm2 || What == R_dzasum)
      return {normBefore<T>, nullptr, normTangent<T>, normAdjoint<T>};
    return {productBefore<T>, nullptr, productTangent<T>, productAdjoint<T>};
  }
}

#define CF_FAMILY(T) template Family<T> complexFamily<T>(int32_t);
CF_BLAS_NUMBERS(CF_FAMILY)

} // namespace contraflow::blas
