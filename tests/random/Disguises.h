// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs do to numbers otherwise than by arithmetic on them: bits, unions, words, wider
// types, complex numbers, vectors. Here for doubles; for the oracle, what it means.

#pragma once

#include "Dual.h"

#include <complex>
#include <cstdint>
#include <cstring>

namespace oracle {

template <typename T> DualOf<T> throughUnion(DualOf<T> a) { return a; }
template <typename T> DualOf<T> throughWords(DualOf<T> a) { return a; }
template <typename T> DualOf<T> turnedSign(DualOf<T> a) { return -a; }
template <typename T> DualOf<T> withoutSign(DualOf<T> a) { return fabs(a); }
template <typename T> DualOf<T> chosenBits(DualOf<T> a, DualOf<T> b) { return a < b ? a : b; }
template <typename T> DualOf<T> widened(DualOf<T> a, DualOf<T> b) {
  return a * b / (b * b + 3.0) + a;
}
template <typename T> DualOf<T> complexPower(DualOf<T> a, DualOf<T> b) {
  return a * a - b * b + 0.5 * (2.0 * a * b);
}
template <typename T> DualOf<T> complexQuotient(DualOf<T> a, DualOf<T> b) {
  return (a * 2.0 + b) / (a * a + b * b + 1.0);
}
template <typename T> DualOf<T> overLanes(const DualOf<T> *p, DualOf<T> a) {
  DualOf<T> Sum = 0;
  for (int i = 0; i < 4; ++i)
    Sum += fmax(p[i] * a, p[3 - i]) - p[(i + 1) % 4] * p[i];
  return Sum;
}
template <typename T> DualOf<T> throughArray(DualOf<T> a, DualOf<T> b, int n) {
  DualOf<T> Last[3] = {a, b, a * b};
  for (int i = 0; i < n; ++i)
    Last[i % 3] = Last[(i + 1) % 3] * 0.5 + Last[(i + 2) % 3];
  return tanh(Last[n % 3]);
}

} // namespace oracle

inline double throughUnion(double a) {
  union {
    std::uint64_t Bits;
    double Value;
    unsigned char Bytes[8];
  } From, To;
  From.Value = a;
  To.Bits = From.Bits;
  return To.Value;
}

inline double throughWords(double a) {
  std::uint32_t Words[2];
  std::memcpy(Words, &a, sizeof a);
  const std::uint32_t Low = Words[0], High = Words[1];
  const std::uint32_t Back[2] = {Low, High};
  double b;
  std::memcpy(&b, Back, sizeof b);
  return b;
}

inline double turnedSign(double a) {
  std::uint64_t Bits;
  std::memcpy(&Bits, &a, sizeof a);
  Bits ^= std::uint64_t(1) << 63;
  std::memcpy(&a, &Bits, sizeof a);
  return a;
}

inline double withoutSign(double a) {
  std::uint64_t Bits;
  std::memcpy(&Bits, &a, sizeof a);
  Bits &= ~(std::uint64_t(1) << 63);
  std::memcpy(&a, &Bits, sizeof a);
  return a;
}

inline double chosenBits(double a, double b) {
  std::uint64_t A, B;
  std::memcpy(&A, &a, sizeof a);
  std::memcpy(&B, &b, sizeof b);
  const std::uint64_t Mask = a < b ? ~std::uint64_t(0) : 0, Bits = (A & Mask) | (B & ~Mask);
  std::memcpy(&a, &Bits, sizeof a);
  return a;
}

inline double widened(double a, double b) {
  const long double A = a, B = b;
  return static_cast<double>(A * B / (B * B + 3.0L) + A);
}

inline double complexPower(double a, double b) {
  std::complex<double> Z(a, b);
  Z *= Z;
  return Z.real() + 0.5 * Z.imag();
}

inline double complexQuotient(double a, double b) {
  const std::complex<double> Z(a, b), W(2.0, 1.0);
  return (std::conj(Z) * W).real() / (std::norm(Z) + 1.0);
}

inline double overLanes(const double *p, double a) {
  using Lanes = double __attribute__((vector_size(32), aligned(8)));
  using Order = std::int64_t __attribute__((vector_size(32)));
  Lanes X;
  std::memcpy(&X, p, sizeof X);
  const Lanes Turned = __builtin_shufflevector(X, X, 3, 2, 1, 0),
              Next = __builtin_shufflevector(X, X, 1, 2, 3, 0);
  const Lanes Scaled = X * a;
  const Order Larger = Turned > Scaled;
  const Lanes Most = Larger ? Turned : Scaled, Rest = Most - Next * X;
  return Rest[0] + Rest[1] + Rest[2] + Rest[3];
}

inline double throughArray(double a, double b, int n) {
  long double Last[3] = {a, b, static_cast<long double>(a) * b};
  for (int i = 0; i < n; ++i)
    Last[i % 3] = Last[(i + 1) % 3] * 0.5L + Last[(i + 2) % 3];
  return std::tanh(static_cast<double>(Last[n % 3]));
}
