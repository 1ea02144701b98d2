// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementary functions written with the tricks of mathematical libraries: the two words of a
// double, tables chosen by digits, powers of two put together, arguments reduced by a sum that is
// rounded.
// Supports: elementary functions written out with the words of floats
#include "GradientCheck.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

static const double ln2 = 0.693147180559945309417;

static uint64_t bitsOf(double x) {
  uint64_t u;
  memcpy(&u, &x, 8);
  return u;
}
static double withBits(uint64_t u) {
  double x;
  memcpy(&x, &u, 8);
  return x;
}
// Words through memory, as little-endian machines have them.
static int32_t highWord(double x) { return ((int32_t *)&x)[1]; }
static double withHighWord(double x, int32_t high) {
  ((int32_t *)&x)[1] = high;
  return x;
}
static double withLowWord(double x, uint32_t low) {
  union {
    double number;
    uint32_t words[2];
  } u = {x};
  u.words[0] = low;
  return u.number;
}

// log(m) for m near one.
static double series(double m) {
  double s = (m - 1) / (m + 1), t = s * s, sum = 0;
  for (int k = 31; k > 0; k -= 2)
    sum = sum * t + 2.0 / k;
  return s * sum;
}
static double taylor(double r) {
  double sum = 1;
  for (int k = 14; k > 0; k--)
    sum = 1 + r / k * sum;
  return sum;
}

// Small numbers are scaled first; the exponent is chosen so that the rest is near one.
static double wordLog(double x) {
  int k = 0;
  int32_t high = highWord(x);
  if (high < 0x00100000) {
    x *= 0x1p54;
    k = -54;
    high = highWord(x);
  }
  k += (high >> 20) - 1023;
  high &= 0x000fffff;
  const int32_t up = (high + 0x96000) & 0x100000;
  x = withHighWord(x, high | (up ^ 0x3ff00000));
  k += up >> 20;
  return k * ln2 + series(x);
}

// One is left out early, so in what follows the optimiser knows the first word of numbers near it.
static double exactAtOne(double x) {
  int k = 0;
  uint64_t bits = bitsOf(x);
  uint32_t high = bits >> 32;
  if (high < 0x00100000) {
    k -= 54;
    bits = bitsOf(x * 0x1p54);
    high = bits >> 32;
  } else if (high == 0x3ff00000 && bits << 32 == 0) {
    return 0;
  }
  high += 0x3ff00000 - 0x3fe6a09e;
  k += (int)(high >> 20) - 0x3ff;
  high = (high & 0x000fffff) + 0x3fe6a09e;
  return k * ln2 + series(withBits((uint64_t)high << 32 | (bits & 0xffffffff)));
}
static double aroundOne(double x) { return exactAtOne(x) + 64 * exactAtOne(1 + (x - 1) * 0x1p-21); }

static double wordExp(double x) {
  const int sign = (int)((uint32_t)highWord(x) >> 31);
  int k = 0;
  if ((highWord(x) & 0x7fffffff) > 0x3fd62e42) {
    if ((highWord(x) & 0x7fffffff) < 0x3ff0a2b2)
      k = 1 - sign - sign;
    else
      k = (int)(x / ln2 + (sign ? -0.5 : 0.5));
    x -= k * ln2;
  }
  const double y = taylor(x);
  return withHighWord(y, highWord(y) + (int32_t)((uint32_t)k << 20));
}

// A third of the exponent; the guess is rounded once, so that its square is exact.
static double wordCbrt(double x) {
  const int32_t sign = highWord(x) & (int32_t)0x80000000;
  double t = withHighWord(0, (highWord(x) ^ sign) / 3 + 715094163);
  for (int k = 0; k < 3; k++)
    t = (2 * t + fabs(x) / (t * t)) / 3;
  t = withBits((bitsOf(t) + 0x80000000u) & 0xffffffffc0000000u);
  t = (2 * t + fabs(x) / (t * t)) / 3;
  t = (2 * t + fabs(x) / (t * t)) / 3;
  return withHighWord(t, highWord(t) | sign);
}

// A square in two parts, of which one is exact.
static double bell(double x) {
  const double z = withLowWord(x, 0);
  return exp(-z * z) * exp((z - x) * (z + x));
}

static double centres[16], logarithms[16];
static double tableLog(double x) {
  const uint64_t first = 0x3fe6000000000000u;
  for (uint64_t i = 0; i < 16; i++) {
    const double centre = withBits(first + (i << 48) + (1ull << 47));
    centres[i] = 1 / centre;
    logarithms[i] = log(centre);
  }
  const uint64_t off = bitsOf(x) - first;
  const int i = (int)(off >> 48) % 16, k = (int)((int64_t)off >> 52);
  const double z = withBits(bitsOf(x) - (off & 0xfff0000000000000u));
  return k * ln2 + logarithms[i] + log1p(z * centres[i] - 1);
}

static uint64_t powers[8];
static void fillPowers(void) {
  for (uint64_t i = 0; i < 8; i++)
    powers[i] = bitsOf(exp2((double)i / 8)) - (i << 49);
}
// The index and the exponent are the last digits of a sum.
static double tableExp(double x) {
  fillPowers();
  const double scaled = x * (8 / ln2);
  double whole = scaled + 0x1.8p52;
  const uint64_t k = bitsOf(whole);
  whole -= 0x1.8p52;
  return withBits(powers[k % 8] + (k << 49)) * taylor(x - whole * (ln2 / 8));
}
// Rounded to eighths at once.
static double tableExp2(double x) {
  fillPowers();
  double eighths = x + 0x1.8p49;
  const uint64_t k = bitsOf(eighths);
  eighths -= 0x1.8p49;
  return withBits(powers[k % 8] + (k << 49)) * taylor((x - eighths) * ln2);
}
static double tableExpInteger(double x) {
  fillPowers();
  const int64_t k = (int64_t)floor(x * (8 / ln2) + 0.5);
  return withBits(powers[k & 7] + ((uint64_t)k << 49)) * taylor(x - (double)k * (ln2 / 8));
}

// The quarter is in the low word of a sum that is one with the product.
static double reducedSin(double x) {
  double whole = 7 * x * (2 / 3.14159265358979323846) + 0x1.8p52;
  const int quarter = (int)(uint32_t)bitsOf(whole);
  whole -= 0x1.8p52;
  const double y = 7 * x - whole * (3.14159265358979323846 / 2);
  const double value = quarter & 1 ? cos(y) : sin(y);
  return quarter & 2 ? -value : value;
}

static double mantissaOf(double x, int *exponent) {
  *exponent = (int)((bitsOf(x) >> 52) & 0x7ff) - 1022;
  return withBits((bitsOf(x) & 0x800fffffffffffffu) | 0x3fe0000000000000u);
}
static double scaledBack(double x) {
  int k;
  const double m = mantissaOf(x, &k), y = m * m + x;
  return withBits(bitsOf(y) + ((uint64_t)(k - 1) << 52)) * m;
}

// In single precision, with the rest in double.
static float logOfFloat(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  const uint32_t top = (bits - 0x3f330000u) & 0xff800000u;
  const uint32_t rest = bits - top;
  float z;
  memcpy(&z, &rest, 4);
  return (float)(log((double)z) + ((int32_t)top >> 23) * ln2);
}

#define PROGRAM(f, T, low, high)                                                                   \
  static double sum_##f(const T *x, int n) {                                                       \
    double s = 0;                                                                                  \
    for (int i = 0; i < n; i++)                                                                    \
      s += f(x[i]) * (i + 1) * x[(i + 1) % n];                                                     \
    return s;                                                                                      \
  }                                                                                                \
  GRADIENT_CHECK(libm_bits_##f, Double, sum_##f, InRange(T, 5, low, high), Int(5))

PROGRAM(wordLog, double, 1.45, 1.9)
PROGRAM(exactAtOne, double, 1.1, 1.9)
PROGRAM(aroundOne, double, 1.1, 1.9)
PROGRAM(wordExp, double, 0.4, 1.6)
PROGRAM(wordCbrt, double, 1.1, 1.9)
PROGRAM(bell, double, 1.1, 1.9)
PROGRAM(tableLog, double, 1.1, 1.9)
PROGRAM(tableExp, double, 0.4, 1.6)
PROGRAM(tableExp2, double, 0.4, 1.6)
PROGRAM(tableExpInteger, double, 0.4, 1.6)
PROGRAM(reducedSin, double, 0.4, 1.6)
PROGRAM(scaledBack, double, 1.1, 1.9)
PROGRAM(logOfFloat, float, 1.5, 1.9)
