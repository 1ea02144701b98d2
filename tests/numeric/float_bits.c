// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tricks with the bits of floats, as codes for speed and portability have them.
// Supports: signs, exponents and orders of floats by their bits
#include "GradientCheck.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

static double withSign(double magnitude, double sign) {
  uint64_t a, b;
  memcpy(&a, &magnitude, 8);
  memcpy(&b, &sign, 8);
  a = (a & 0x7FFFFFFFFFFFFFFFull) | (b & 0x8000000000000000ull);
  memcpy(&magnitude, &a, 8);
  return magnitude;
}
static double signsByMask(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += withSign(x[i] * x[i], x[i] - 1) * x[0];
  return s;
}

static double flipSign(double v) {
  union {
    double d;
    uint64_t u;
  } w = {v};
  w.u ^= 1ull << 63;
  return w.d;
}
static double negations(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += i % 2 ? flipSign(x[i]) * s : x[i] * x[i];
  return s;
}

// The exponent is read, the mantissa scaled by hand.
static double byExponent(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], 8);
    int exponent = (int)((bits >> 52) & 0x7FF) - 1023;
    s += ldexp(x[i] * x[i], -exponent);
  }
  return s;
}

// A power of two is put together from an integer.
static double powerOfTwo(int k) {
  uint64_t bits = (uint64_t)(k + 1023) << 52;
  double d;
  memcpy(&d, &bits, 8);
  return d;
}
static double scaled(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += powerOfTwo(i - 2) * x[i] * x[(i + 1) % n];
  return s;
}

static int isNegative(double v) {
  uint64_t bits;
  memcpy(&bits, &v, 8);
  return (int)(bits >> 63);
}
static double branchOnSignBit(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += isNegative(x[i] - 1) ? x[i] * x[i] : 3 * x[i];
  return s;
}

static double absoluteFloat(const float *x, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) {
    float v = x[i] - 1;
    uint32_t b;
    memcpy(&b, &v, 4);
    b &= 0x7FFFFFFFu;
    memcpy(&v, &b, 4);
    s += v * x[i];
  }
  return s;
}

// Values swapped without a temporary, as bits.
static double xorSwap(const double *x, int n) {
  uint64_t a, b;
  double s = 0;
  for (int i = 0; i + 1 < n; i++) {
    double l = x[i], r = x[i + 1];
    if (l > r) {
      memcpy(&a, &l, 8);
      memcpy(&b, &r, 8);
      uint64_t t = a;
      a = b;
      b = t;
      memcpy(&l, &a, 8);
      memcpy(&r, &b, 8);
    }
    s += l * l + 2 * r;
  }
  return s;
}

// Byte by byte through a buffer, as serialisation does.
static void put(unsigned char *to, double v) { memcpy(to, &v, sizeof v); }
static double get(const unsigned char *from) {
  double v;
  memcpy(&v, from, sizeof v);
  return v;
}
static double serialised(const double *x, int n) {
  unsigned char buffer[80];
  double s = 0;
  for (int i = 0; i < n; i++)
    put(buffer + 8 * i, x[i] * x[i]);
  for (int i = 0; i < n; i++)
    s += get(buffer + 8 * (n - 1 - i)) * x[i];
  return s;
}

// Halves of a double are kept apart.
struct Halves {
  uint32_t low, high;
};
static double halves(const double *x, int n) {
  struct Halves h[8];
  double s = 0;
  for (int i = 0; i < n; i++)
    memcpy(&h[i], &x[i], sizeof h[i]);
  for (int i = 0; i < n; i++) {
    double v;
    memcpy(&v, &h[n - 1 - i], sizeof v);
    s += v * v * x[i];
  }
  return s;
}

// Comparison of bits: equal values, and NaN by hand.
static double sanitised(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    uint64_t b;
    memcpy(&b, &x[i], 8);
    if ((b & 0x7FF0000000000000ull) == 0x7FF0000000000000ull)
      continue;
    s += x[i] * x[i] * x[i];
  }
  return s;
}

// A total order of floats by integers.
static int64_t key(double v) {
  int64_t b;
  memcpy(&b, &v, 8);
  return b < 0 ? INT64_MIN - b : b;
}
static double largestByKey(const double *x, int n) {
  int best = 0;
  for (int i = 1; i < n; i++)
    if (key(x[i]) > key(x[best]))
      best = i;
  return x[best] * x[best] * x[0];
}

GRADIENT_CHECK(float_bits_signs, Double, signsByMask, In(double, 5), Int(5))
GRADIENT_CHECK(float_bits_flip, Double, negations, In(double, 5), Int(5))
GRADIENT_CHECK(float_bits_exponent, Double, byExponent, InRange(double, 5, 1.1, 1.9), Int(5))
GRADIENT_CHECK(float_bits_power_of_two, Double, scaled, In(double, 5), Int(5))
GRADIENT_CHECK(float_bits_branch, Double, branchOnSignBit, In(double, 5), Int(5))
GRADIENT_CHECK(float_bits_absolute, Double, absoluteFloat, In(float, 5), Int(5))
GRADIENT_CHECK(float_bits_swap, Double, xorSwap, In(double, 6), Int(6))
GRADIENT_CHECK(float_bits_serialised, Double, serialised, In(double, 7), Int(7))
GRADIENT_CHECK(float_bits_halves, Double, halves, In(double, 6), Int(6))
GRADIENT_CHECK(float_bits_sanitised, Double, sanitised, In(double, 6), Int(6))
GRADIENT_CHECK(float_bits_order, Double, largestByKey, In(double, 6), Int(6))

// What masks choose and exchange: of a truth value, of a bit, of the sign of an integer and of a
// difference.
static uint64_t bits_of(double v) {
  uint64_t u;
  memcpy(&u, &v, 8);
  return u;
}
static double of_bits(uint64_t u) {
  double v;
  memcpy(&v, &u, 8);
  return v;
}
static double masked(double a, double b, uint64_t m) {
  return of_bits((bits_of(a) & m) | (bits_of(b) & ~m));
}
static void exchange(double *a, double *b, int bit) {
  uint64_t u, v;
  memcpy(&u, a, 8);
  memcpy(&v, b, 8);
  const uint64_t both = (u ^ v) & -(uint64_t)(bit & 1);
  u ^= both;
  v ^= both;
  memcpy(a, &u, 8);
  memcpy(b, &v, 8);
}
static double chosen_by_masks(const double *x, int n) {
  double s = 0, t[6];
  for (int i = 0; i < n; ++i)
    t[i] = x[i] * x[i];
  for (int i = 0; i + 1 < n; ++i)
    exchange(&t[i], &t[i + 1], i * 3 >> 1);
  for (int i = 0; i + 1 < n; ++i) {
    s += masked(t[i], x[i], -(uint64_t)((i & 2) != 0)) * 3;
    s += of_bits(bits_of(t[i]) ^ ((bits_of(x[i] * s) ^ bits_of(t[i])) & -(uint64_t)(i & 1)));
    s -= masked(t[i], x[i + 1], (uint64_t)((long)(i - 3) >> 63)) * x[1];
    s += masked(t[i], t[i + 1], (uint64_t)((int64_t)bits_of(t[i] - t[i + 1]) >> 63));
  }
  return s;
}
GRADIENT_CHECK(bits_chosen_by_masks, Double, chosen_by_masks, In(double, 6), Int(6))

/* Signs that are changed in memory, of members of records. */
struct Signed {
  int id;
  double value;
  float weight;
};
static double signs_in_records(const double *x, int n) {
  struct Signed r[6];
  for (int i = 0; i < n; ++i)
    r[i] = (struct Signed){i, x[i] * x[i] - 0.7, (float)(i + 1)};
  for (int i = 0; i < n; ++i) {
    uint64_t bits, sign;
    uint32_t half;
    memcpy(&bits, &r[i * 5 % n].value, 8);
    memcpy(&sign, &x[i], 8);
    if (i == 1)
      bits ^= 1ull << 63;
    else if (i == 2)
      bits &= ~(1ull << 63);
    else
      bits = (bits & ~(1ull << 63)) | (~sign & (1ull << 63));
    memcpy(&r[i * 5 % n].value, &bits, 8);
    memcpy(&half, &r[i].weight, 4);
    half ^= (uint32_t)(i & 1) << 31;
    memcpy(&r[i].weight, &half, 4);
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += r[i].value * r[i].weight * x[(i + 1) % n] + r[i].id;
  return s;
}
GRADIENT_CHECK(bits_signs_in_records, Double, signs_in_records, In(double, 6), Int(6))
