// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number and its tangent. The families of BLAS are written for any kind of number; with these
// they give the tangent of their tangents and adjoints.
//
//   (a, a') (b, b') = (a b, a' b + a b')

#pragma once

#include <cmath>
#include <type_traits>

namespace contraflow::blas {

template <typename S> struct Dual {
  S Value = 0, Dot = 0;

  Dual() = default;
  Dual(S Value) : Value(Value) {}
  Dual(S Value, S Dot) : Value(Value), Dot(Dot) {}
  template <typename I>
    requires std::is_integral_v<I>
  Dual(I Value) : Value(static_cast<S>(Value)) {}

  Dual operator-() const { return {-Value, -Dot}; }
  friend Dual operator+(Dual A, Dual B) { return {A.Value + B.Value, A.Dot + B.Dot}; }
  friend Dual operator-(Dual A, Dual B) { return {A.Value - B.Value, A.Dot - B.Dot}; }
  friend Dual operator*(Dual A, Dual B) {
    return {A.Value * B.Value, A.Dot * B.Value + A.Value * B.Dot};
  }
  friend Dual operator/(Dual A, Dual B) {
    const S Quotient = A.Value / B.Value;
    return {Quotient, (A.Dot - Quotient * B.Dot) / B.Value};
  }
  Dual &operator+=(Dual B) { return *this = *this + B; }
  Dual &operator-=(Dual B) { return *this = *this - B; }
  Dual &operator*=(Dual B) { return *this = *this * B; }
  Dual &operator/=(Dual B) { return *this = *this / B; }

  /// A factor that is zero but moves is not zero.
  friend bool operator==(Dual A, Dual B) { return A.Value == B.Value && A.Dot == B.Dot; }
  friend bool operator<(Dual A, Dual B) { return A.Value < B.Value; }
  friend bool operator>(Dual A, Dual B) { return B < A; }
};

template <typename S> Dual<S> abs(Dual<S> A) { return A.Value < 0 ? -A : A; }
/// Not infinite where nothing moves.
template <typename S> Dual<S> sqrt(Dual<S> A) {
  const S Root = std::sqrt(A.Value);
  return {Root, A.Dot == S(0) ? S(0) : A.Dot / (2 * Root)};
}
/// Of a constant size.
template <typename S> Dual<S> copysign(Dual<S> Size, Dual<S> Sign) {
  return std::copysign(Size.Value, Sign.Value);
}

template <typename T> inline constexpr bool IsDual = false;
template <typename S> inline constexpr bool IsDual<Dual<S>> = true;

/// The number that T is made of.
template <typename T> struct RealPart {
  using Type = T;
};
template <typename S> struct RealPart<Dual<S>> {
  using Type = S;
};
template <typename T> using Real = typename RealPart<T>::Type;

template <typename T> T realOf(T A) { return A; }
template <typename S> S realOf(Dual<S> A) { return A.Value; }

/// Calls DEFINE for every kind of number.
#define CF_BLAS_NUMBERS(DEFINE)                                                                    \
  DEFINE(double)                                                                                   \
  DEFINE(float)                                                                                    \
  DEFINE(Dual<double>)                                                                             \
  DEFINE(Dual<float>)

} // namespace contraflow::blas
