// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures of a float and an int that are written to an array as one integer: the optimiser joins
// the bits of the float, which it does not read as one, with an int by 'or' and by sums.
#include "GradientCheck.h"

namespace {
struct IntFloat {
  int k;
  float v;
};
struct FloatInt {
  float v;
  int k;
};
template <class T> inline T make(float v, int k) {
  T made;
  made.v = v;
  made.k = k;
  return made;
}

template <class T> float table(const float *x, int n) {
  T all[8];
  for (int i = 0; i < 8; i++)
    all[(i * n) % 8] = make<T>(x[i], i + n);
  float s = 0;
  for (int i = 0; i < 8; i++)
    s += all[i].v * static_cast<float>(all[(i * n + 3) % 8].k) * x[i];
  return s;
}

float both(const float *x, int n) { return table<IntFloat>(x, n) - table<FloatInt>(x, n) * x[1]; }
} // namespace

GRADIENT_CHECK(joined_bits, Float, both, In(float, 8), Int(3))
