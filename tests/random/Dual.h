// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle of the random programs: numbers with one derivative, by overloading. It shares nothing
// with the plugin. Of duals themselves, they have derivatives of derivatives.

#pragma once

#include <cmath>
#include <type_traits>

inline double narrowed(double a) { return float(a); }

namespace oracle {

/// Some number on the way was so large that zero times it is not zero.
inline bool Wild = false;

inline double plain(double a) { return a; }
inline void note(double a) { Wild |= !(std::fabs(a) < 1e100); }

using ::narrowed;
using std::atan, std::cos, std::exp, std::log, std::pow, std::sin, std::sqrt, std::tanh;

template <typename T> struct DualOf {
  T v = 0, d = 0;
  DualOf() = default;
  DualOf(T Value, T Dot) : v(Value), d(Dot) { note(v), note(d); }
  template <typename U>
    requires std::is_arithmetic_v<U> || std::is_same_v<U, T>
  DualOf(U Value) : DualOf(T(Value), T(0)) {}
  explicit operator int() const { return static_cast<int>(v); }

  friend double plain(DualOf a) { return plain(a.v); }
  friend void note(DualOf) {} // its parts were noted
  friend DualOf operator+(DualOf a, DualOf b) { return {a.v + b.v, a.d + b.d}; }
  friend DualOf operator-(DualOf a, DualOf b) { return {a.v - b.v, a.d - b.d}; }
  friend DualOf operator-(DualOf a) { return {-a.v, -a.d}; }
  friend DualOf operator*(DualOf a, DualOf b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
  friend DualOf operator/(DualOf a, DualOf b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
  friend DualOf &operator+=(DualOf &a, DualOf b) { return a = a + b; }
  friend DualOf &operator-=(DualOf &a, DualOf b) { return a = a - b; }
  friend DualOf &operator*=(DualOf &a, DualOf b) { return a = a * b; }
  friend bool operator<(DualOf a, DualOf b) { return a.v < b.v; }
  friend bool operator>(DualOf a, DualOf b) { return a.v > b.v; }
  friend bool operator<=(DualOf a, DualOf b) { return a.v <= b.v; }

  friend DualOf sin(DualOf a) { return {sin(a.v), a.d * cos(a.v)}; }
  friend DualOf cos(DualOf a) { return {cos(a.v), -a.d * sin(a.v)}; }
  friend DualOf exp(DualOf a) { return {exp(a.v), a.d * exp(a.v)}; }
  friend DualOf log(DualOf a) { return {log(a.v), a.d / a.v}; }
  friend DualOf sqrt(DualOf a) { return {sqrt(a.v), a.d / (2.0 * sqrt(a.v))}; }
  friend DualOf tanh(DualOf a) { return {tanh(a.v), a.d * (1.0 - tanh(a.v) * tanh(a.v))}; }
  friend DualOf atan(DualOf a) { return {atan(a.v), a.d / (1.0 + a.v * a.v)}; }
  friend DualOf fabs(DualOf a) { return a.v < T(0) ? -a : a; }
  friend DualOf fmin(DualOf a, DualOf b) { return b.v < a.v ? b : a; }
  friend DualOf fmax(DualOf a, DualOf b) { return b.v > a.v ? b : a; }
  friend DualOf pow(DualOf a, int n) { return {pow(a.v, n), a.d * double(n) * pow(a.v, n - 1)}; }
  /// Through a float and back.
  friend DualOf narrowed(DualOf a) { return {narrowed(a.v), a.d}; }
};

using Dual = DualOf<double>;
using Second = DualOf<Dual>;

} // namespace oracle
