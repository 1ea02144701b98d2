// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A float shares a register with an int, a bool or another member where such a structure is passed
// to and returned by functions that call themselves.
// Supports: structures, arrays of them, pointers to pointers, linked lists
#include "GradientCheck.h"

namespace {

struct FloatInt {
  float v;
  int k;
  static FloatInt of(float x, int k) { return {x, k}; }
};
struct IntFloat {
  int k;
  float v;
  static IntFloat of(float x, int k) { return {k, x}; }
};
struct FloatShort {
  float v;
  short k;
  bool set;
  static FloatShort of(float x, int k) { return {x, static_cast<short>(k), true}; }
};
struct Framed {
  double before;
  float v;
  int k;
  static Framed of(float x, int k) { return {static_cast<double>(x) * 2, x, k}; }
};
struct Second {
  int k;
  float v, w;
  static Second of(float x, int k) { return {k, x, 2 * x}; }
};
struct Linked {
  float v;
  unsigned k;
  const float *more;
  static Linked of(float x, int k) {
    static const float Table[] = {0.5F, 1.5F, 2.5F};
    return {x, static_cast<unsigned>(k), Table};
  }
};

/// Takes one, and calls itself with another one.
template <class T> __attribute__((noinline)) float consume(T s, int depth) {
  if (depth <= 0)
    return s.v * static_cast<float>(s.k);
  const float now = s.v * s.v;
  s.v = now * 0.5F;
  s.k += 1;
  return consume(s, depth - 1) + now;
}

/// Returns what it is given, changed.
template <class T> __attribute__((noinline)) T advance(T s, float x, int depth) {
  if (depth <= 0) {
    s.v *= x;
    return s;
  }
  if (s.k % 3 == 2)
    s = T::of(s.v + x, s.k + 1);
  s = advance(s, x * s.v, depth - 1);
  s.k += 2;
  s.v += x * static_cast<float>(s.k);
  return s;
}

/// Made here, kept in an array, handed on.
template <class T> __attribute__((noinline)) T build(const float *x, int n) {
  T all[3];
  for (int i = 0; i < 3; i++)
    all[i] = T::of(x[i], i + n);
  if (n > 0)
    all[n % 3] = build<T>(x + 1, n - 1);
  T best = all[0];
  for (int i = 1; i < 3; i++)
    if ((static_cast<int>(all[i].k) + n) % 3 == i % 2)
      best = all[i];
  best.v *= all[1].v;
  return best;
}

template <class T> float walk(const float *x) {
  T s = build<T>(x, 2);
  s = advance(s, x[1], 2);
  return consume(s, 2) + s.v * static_cast<float>(s.k % 100);
}

float whole(const float *x, int n) {
  (void)n;
  return walk<FloatInt>(x) * 1e-2F + walk<IntFloat>(x + 1) * 1e-2F;
}
float narrow(const float *x, int n) {
  (void)n;
  return walk<FloatShort>(x + 1) * 1e-2F;
}
float among(const float *x, int n) {
  (void)n;
  return (walk<Framed>(x) + walk<Second>(x + 1) + walk<Linked>(x)) * 1e-2F;
}

} // namespace

GRADIENT_CHECK(packed_whole, Float, whole, InRange(float, 6, 0.4, 0.9), Int(6))
GRADIENT_CHECK(packed_narrow, Float, narrow, InRange(float, 6, 0.4, 0.9), Int(6))
GRADIENT_CHECK(packed_among, Float, among, InRange(float, 6, 0.4, 0.9), Int(6))
