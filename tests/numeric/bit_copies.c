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

// Bits that come from a caller, a callee or a structure, or have been calculated here.
static uint64_t bitsOf(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static double valueOf(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

__attribute__((noinline)) static double fromCaller(uint64_t bits, double x, int k) {
  if (k > 3)
    return valueOf(bits) * x;
  const uint64_t next = k & 1 ? bits : bitsOf(valueOf(bits) * x);
  return valueOf(next) * x + fromCaller(next, x, k + 1);
}

__attribute__((noinline)) static uint64_t fromCallee(const double *x, int k) {
  if (k == 0)
    return bitsOf(x[0]);
  const uint64_t bits = fromCallee(x, k - 1);
  return k & 1 ? bitsOf(valueOf(bits) * x[k]) : bits;
}

struct Counted {
  uint32_t bits;
  uint64_t count;
};
__attribute__((noinline)) static struct Counted counted(struct Counted c, int k) {
  if (k == 0)
    return c;
  ++c.count;
  return counted(c, k - 1);
}

static double passed(const double *x, int n) {
  uint64_t bits = fromCallee(x, n - 1);
  if (n & 1)
    bits = bitsOf(x[3]);
  return fromCaller(bitsOf(x[0] * x[1]), x[2], 0) * valueOf(bits);
}

static float passedStructure(const float *x, int n) {
  struct Counted c = {0, 1};
  float part = x[0] * x[2];
  memcpy(&c.bits, &part, sizeof part);
  c = counted(c, n);
  memcpy(&part, &c.bits, sizeof part);
  return (float)c.count * part * x[1];
}

GRADIENT_CHECK(bits_passed, Double, passed, In(double, 6), Int(6))
GRADIENT_CHECK(bits_passed_odd, Double, passed, In(double, 5), Int(5))
GRADIENT_CHECK(bits_passed_structure, Float, passedStructure, In(float, 3), Int(3))
