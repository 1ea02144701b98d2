// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Doubles that travel as integers: through memcpy, through a union, and through a copy loop.
// Supports: `memcpy`, `memmove`, `memset`, bytes of floats
#include "GradientCheck.h"
#include <stdint.h>
#include <string.h>

static double throughMemcpy(const double *x, int n) {
  uint64_t bits[8];
  double sum = 0;
  for (int i = 0; i < n; i++)
    memcpy(&bits[i], &x[i], sizeof bits[i]);
  for (int i = 0; i < n; i++) {
    double back;
    uint64_t moved = bits[n - 1 - i];
    memcpy(&back, &moved, sizeof back);
    sum += back * x[i];
  }
  return sum;
}

union Word {
  double value;
  uint64_t bits;
};

static double throughUnion(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    union Word a, b;
    a.value = x[i] * x[i];
    b.bits = a.bits;
    sum += b.value * x[0];
  }
  return sum;
}

static double absolute(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    union Word w;
    w.value = x[i] - 1;
    w.bits &= 0x7FFFFFFFFFFFFFFFull;
    sum += w.value * x[i];
  }
  return sum;
}

GRADIENT_CHECK(bits_memcpy, Double, throughMemcpy, In(double, 5), Int(5))
GRADIENT_CHECK(bits_union, Double, throughUnion, In(double, 5), Int(5))
GRADIENT_CHECK(bits_absolute, Double, absolute, In(double, 5), Int(5))

/// A float that is moved as half of a double.
static double boxed(const float *x, int n) {
  double boxes[4], sum = 0;
  for (int i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    const uint64_t wide = bits;
    memcpy(&boxes[i], &wide, sizeof wide);
  }
  for (int i = 0; i < n; i++) {
    uint64_t wide;
    memcpy(&wide, &boxes[i], sizeof wide);
    const uint32_t bits = (uint32_t)wide;
    float one;
    memcpy(&one, &bits, sizeof one);
    sum += (i + 1) * (double)one * one;
  }
  return sum;
}

GRADIENT_CHECK(bits_boxed, Double, boxed, In(float, 4), Int(4))
