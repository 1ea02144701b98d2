// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// trmm, trmv, trsm and trsv of complex numbers. T is what the routine makes of the triangle that is
// stored (transposed, conjugated, ones on the diagonal); on the right everything is transposed.
//
//   X = alpha T B       T' += conj(alpha) X' B^H    B' = conj(alpha) T^H X'    alpha' += conj(T B)
//   . X' X = alpha T^-1 B    Z = T^-H X'   T' -= Z X^H   B' = conj(alpha) Z         alpha' +=
//   conj(B) . Z

#include "blas/Complex.h"

#include <new>

namespace contraflow::blas {
namespace {

using namespace complex;

template <typename S> struct Call {
  Both<S> A, B;      ///< A as it is stored
  Complex<S> *Alpha; ///< null: one
  Complex<S> *AlphaBar;
  bool Turned, Conjugate, Unit, Lower, Solves;
};

template <typename S> struct Kept {
  Complex<S> Alpha = 1;
  View<S> A, B, X; ///< the triangle, what was there before, and after
};

template <typename S> Call<S> callOf(const Record<S> &R) {
  const bool Vector = R.What == R_ztrmv || R.What == R_ztrsv;
  const int First = Vector ? 0 : 1; // flag of the triangle, and array
  const bool Right = !Vector && R.Flag[0] == 'R';
  const int64_t M = R.Size[0], N = Vector ? 1 : R.Size[1], Order = Right ? N : M;
  const char How = R.Flag[First + 1];
  Call<S> C;
  C.A = matrixOf(R, First, Order, Order);
  C.B = Vector ? vectorOf(R, 1, M) : matrixOf(R, 2, M, N);
  C.Alpha = Vector ? nullptr : numbers(R.Arrays[0].At);
  C.AlphaBar = Vector ? nullptr : numbers(R.Arrays[0].Shadow);
  C.Lower = R.Flag[First] == 'L';
  C.Turned = (How == 'T' || How == 'C') != Right;
  C.Conjugate = How == 'C' || How == 'J';
  C.Unit = R.Flag[First + 2] == 'U';
  C.Solves = R.What == R_ztrsm || R.What == R_ztrsv;
  if (Right)
    C.B = C.B.t();
  return C;
}

/// Calls Visit(i, j, i of T, j of T) for what counts of the stored triangle.
template <typename S, typename Visitor> void eachStored(const Call<S> &C, Visitor Visit) {
  const int64_t Order = C.A.Value.Rows;
  each(Order, Order, C.Lower ? Part::Lower : Part::Upper, [&](int64_t I, int64_t J) {
    if (I != J || !C.Unit)
      Visit(I, J, C.Turned ? J : I, C.Turned ? I : J);
  });
}

/// T of a triangle, or its tangent.
template <typename S>
void expandTriangle(const Call<S> &C, View<S> Stored, Complex<S> Diagonal, View<S> To) {
  eachStored(C, [&](int64_t I, int64_t J, int64_t K, int64_t L) {
    To(K, L) = C.Conjugate ? std::conj(Stored(I, J)) : Stored(I, J);
  });
  for (int64_t I = 0; C.Unit && I < To.Rows; ++I)
    To(I, I) = Diagonal;
}

/// To += Factor T B, of T^H if that is asked for.
template <typename S>
void multiply(Complex<S> Factor, View<S> T, bool Adjoint, View<S> B, View<S> To) {
  each(To.Rows, To.Columns, Part::All, [&](int64_t I, int64_t J) {
    Complex<S> Sum = 0;
    for (int64_t K = 0; K < T.Rows; ++K)
      Sum += (Adjoint ? std::conj(T(K, I)) : T(I, K)) * B(K, J);
    To(I, J) += Factor * Sum;
  });
}

/// B becomes T^-1 B, or T^-H B.
template <typename S> void solve(const Call<S> &C, View<S> T, bool Adjoint, View<S> B) {
  const int64_t Order = T.Rows;
  const bool Forwards = (C.Lower != C.Turned) != Adjoint;
  auto At = [&](int64_t I, int64_t K) { return Adjoint ? std::conj(T(K, I)) : T(I, K); };
  for (int64_t J = 0; J < B.Columns; ++J)
    for (int64_t Step = 0; Step < Order; ++Step) {
      const int64_t I = Forwards ? Step : Order - 1 - Step;
      Complex<S> Sum = B(I, J);
      for (int64_t K = Forwards ? 0 : I + 1; K < (Forwards ? I : Order); ++K)
        Sum -= At(I, K) * B(K, J);
      B(I, J) = Sum / At(I, I);
    }
}

template <typename S> void before(Record<S> &R) {
  const Call<S> C = callOf(R);
  auto &K = *new (R.reserve(sizeof(Kept<S>))) Kept<S>();
  R.Kept = &K;
  if (C.Alpha)
    K.Alpha = *C.Alpha;
  K.A = keep(R, C.A.Value, C.Lower ? Part::Lower : Part::Upper);
  if (C.AlphaBar || (C.A.Bar && !C.Solves))
    K.B = keep(R, C.B.Value, Part::All);
}

template <typename S> void after(Record<S> &R) {
  const Call<S> C = callOf(R);
  if (C.A.Bar && C.Solves)
    static_cast<Kept<S> *>(R.Kept)->X = keep(R, C.B.Value, Part::All);
}

template <typename S> void tangent(Record<S> &R) {
  const Call<S> C = callOf(R);
  if (!C.B.Bar)
    return;
  const auto &K = *static_cast<Kept<S> *>(R.Kept);
  const int64_t Order = K.A.Rows;
  Room<Complex<S>> T(Order, Order), TDot(Order, Order), Sum(Order, C.B.Bar.Columns);
  expandTriangle<S>(C, K.A, 1, T);
  if (C.A.Bar)
    expandTriangle<S>(C, C.A.Bar, 0, TDot);
  Room<Complex<S>> Right(Order, C.B.Bar.Columns); // (alpha B)'
  each(Right.Rows, Right.Columns, Part::All, [&](int64_t I, int64_t J) {
    Right(I, J) = K.Alpha * C.B.Bar(I, J) + (C.AlphaBar ? *C.AlphaBar * K.B(I, J) : Complex<S>(0));
  });
  if (C.Solves) {
    if (C.A.Bar)
      multiply<S>(-1, TDot, false, K.X, Right);
    solve<S>(C, T, false, Right);
    copy<Complex<S>>(Right, C.B.Bar);
    return;
  }
  multiply<S>(1, T, false, Right, Sum);
  if (C.A.Bar)
    multiply<S>(K.Alpha, TDot, false, K.B, Sum);
  copy<Complex<S>>(Sum, C.B.Bar);
}

/// A' += Factor G H^H, on what counts of the triangle.
template <typename S>
void addToTriangle(const Record<S> &R, const Call<S> &C, Complex<S> Factor, View<S> G, View<S> H) {
  eachStored(C, [&](int64_t I, int64_t J, int64_t K, int64_t L) {
    Complex<S> Sum = 0;
    for (int64_t Column = 0; Column < G.Columns; ++Column)
      Sum += G(K, Column) * std::conj(H(L, Column));
    Sum *= Factor;
    addTo(C.A.Bar(I, J), C.Conjugate ? std::conj(Sum) : Sum, R.Atomic);
  });
}

template <typename S> void adjoint(Record<S> &R) {
  const Call<S> C = callOf(R);
  if (!C.B.Bar)
    return;
  const auto &K = *static_cast<Kept<S> *>(R.Kept);
  const int64_t Order = K.A.Rows;
  Room<Complex<S>> T(Order, Order), Z(Order, C.B.Bar.Columns);
  expandTriangle<S>(C, K.A, 1, T);
  if (C.Solves) {
    copy<Complex<S>>(C.B.Bar, Z);
    solve<S>(C, T, true, Z);
    if (C.A.Bar)
      addToTriangle<S>(R, C, -1, Z, K.X);
  } else {
    multiply<S>(1, T, true, C.B.Bar, Z);
    if (C.A.Bar)
      addToTriangle<S>(R, C, std::conj(K.Alpha), C.B.Bar, K.B);
  }
  if (C.AlphaBar) {
    Complex<S> Sum = 0;
    each(Z.Rows, Z.Columns, Part::All,
         [&](int64_t I, int64_t J) { Sum += std::conj(K.B(I, J)) * Z(I, J); });
    addTo(*C.AlphaBar, Sum, R.Atomic);
  }
  each(Z.Rows, Z.Columns, Part::All,
       [&](int64_t I, int64_t J) { C.B.Bar(I, J) = std::conj(K.Alpha) * Z(I, J); });
}

} // namespace

template <typename S> Family<S> complexTriangularFamily() {
  return {before<S>, after<S>, tangent<S>, adjoint<S>};
}
template Family<double> complexTriangularFamily<double>();
template Family<float> complexTriangularFamily<float>();

} // namespace contraflow::blas
