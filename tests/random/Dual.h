// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle of the random programs: numbers with one derivative, by overloading. It shares nothing
// with the plugin.

#pragma once

#include <cmath>

namespace oracle {

/// Some number on the way was so large that zero times it is not zero.
inline bool Wild = false;

struct Dual {
  double v = 0, d = 0;
  Dual() = default;
  Dual(double Value, double Dot = 0) : v(Value), d(Dot) {
    Wild |= !(std::fabs(v) < 1e100 && std::fabs(d) < 1e100);
  }
  explicit operator int() const { return static_cast<int>(v); }
};

inline Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
inline Dual operator-(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
inline Dual operator-(Dual a) { return {-a.v, -a.d}; }
inline Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
inline Dual operator/(Dual a, Dual b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
inline Dual &operator+=(Dual &a, Dual b) { return a = a + b; }
inline Dual &operator-=(Dual &a, Dual b) { return a = a - b; }
inline Dual &operator*=(Dual &a, Dual b) { return a = a * b; }
inline bool operator<(Dual a, Dual b) { return a.v < b.v; }
inline bool operator>(Dual a, Dual b) { return a.v > b.v; }
inline bool operator<=(Dual a, Dual b) { return a.v <= b.v; }

inline Dual sin(Dual a) { return {std::sin(a.v), a.d * std::cos(a.v)}; }
inline Dual cos(Dual a) { return {std::cos(a.v), -a.d * std::sin(a.v)}; }
inline Dual exp(Dual a) { return {std::exp(a.v), a.d * std::exp(a.v)}; }
inline Dual log(Dual a) { return {std::log(a.v), a.d / a.v}; }
inline Dual sqrt(Dual a) { return {std::sqrt(a.v), a.d / (2 * std::sqrt(a.v))}; }
inline Dual tanh(Dual a) { return {std::tanh(a.v), a.d * (1 - std::tanh(a.v) * std::tanh(a.v))}; }
inline Dual atan(Dual a) { return {std::atan(a.v), a.d / (1 + a.v * a.v)}; }
inline Dual fabs(Dual a) { return a.v < 0 ? -a : a; }
inline Dual fmin(Dual a, Dual b) { return b.v < a.v ? b : a; }
inline Dual fmax(Dual a, Dual b) { return b.v > a.v ? b : a; }
inline Dual pow(Dual a, int n) { return {std::pow(a.v, n), a.d * n * std::pow(a.v, n - 1)}; }
/// Through a float and back.
inline Dual narrowed(Dual a) { return {double(float(a.v)), a.d}; }

} // namespace oracle

inline double narrowed(double a) { return float(a); }
