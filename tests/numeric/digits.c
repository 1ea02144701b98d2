// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fast approximations of elementary functions that take the bits of numbers for integers, and
// integers for bits: the derivative is that of the line that the staircase follows.
// Supports: fast logarithms, exponentials and roots by the bits of floats
#include "GradientCheck.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

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
static uint32_t bitsOfFloat(float x) {
  uint32_t u;
  memcpy(&u, &x, 4);
  return u;
}
static float floatWithBits(uint32_t u) {
  float x;
  memcpy(&x, &u, 4);
  return x;
}

#define PROGRAM(f, T, low, high)                                                                   \
  static double sum_##f(const T *x, int n) {                                                       \
    double s = 0;                                                                                  \
    for (int i = 0; i < n; i++)                                                                    \
      s += f(x[i]) * (i + 1) * x[(i + 1) % n];                                                     \
    return s;                                                                                      \
  }                                                                                                \
  GRADIENT_CHECK(digits_##f, Double, sum_##f, InRange(T, 5, low, high), Int(5))

// The bits are a logarithm.
static float logarithm(float x) {
  int32_t i;
  memcpy(&i, &x, 4);
  return (float)i * 0x1p-23F - 126.94269504F;
}
// The mantissa corrects it.
static float correctedLogarithm(float x) {
  union {
    float f;
    uint32_t i;
  } vx = {x};
  union {
    uint32_t i;
    float f;
  } mx = {(vx.i & 0x007FFFFF) | 0x3f000000};
  float y = vx.i;
  y *= 1.1920928955078125e-7f;
  return y - 124.22551499f - 1.498030302f * mx.f - 1.72587999f / (0.3520887068f + mx.f);
}
// And the other way round.
static double exponential(double x) {
  int64_t i = (int64_t)(6497320848556798.0 * x + 4606853616395542500.0);
  double y;
  memcpy(&y, &i, 8);
  return y;
}
static float powerOfTwo(float p) {
  float offset = (p < 0) ? 1.0f : 0.0f;
  float clipp = (p < -126) ? -126.0f : p;
  int w = clipp;
  float z = clipp - w + offset;
  union {
    uint32_t i;
    float f;
  } v = {(uint32_t)((1 << 23) *
                    (clipp + 121.2740575f + 27.7280233f / (4.84252568f - z) - 1.49012907f * z))};
  return v.f;
}
static double roundedExponential(double x) {
  int64_t i = llrint(6497320848556798.0 * x + 4606853616395542500.0);
  return withBits((uint64_t)i);
}
// Between bounds, by conditions that the optimiser makes minima and maxima.
static double clamped(double x) {
  int64_t i = (int64_t)(6497320848556798.0 * x + 4606853616395542500.0);
  if (i < 0)
    i = 0;
  if (i > 0x7ff0000000000000)
    i = 0x7ff0000000000000;
  return withBits((uint64_t)i);
}
static double clampedBefore(double x) {
  double v = 6497320848556798.0 * x + 4606853616395542500.0;
  int64_t i;
  if (v < 1e15)
    i = 0;
  else
    i = (int64_t)v;
  return withBits((uint64_t)i) * x;
}
// First guesses that are improved, so that little of their slopes is left.
static float inverseRoot(float x) {
  float h = 0.5f * x, y = x;
  int32_t i;
  memcpy(&i, &y, 4);
  i = 0x5f3759df - (i >> 1);
  memcpy(&y, &i, 4);
  y = y * (1.5f - h * y * y);
  return y * (1.5f - h * y * y);
}
static double inverseRootDouble(double x) {
  double h = 0.5 * x, y = x;
  int64_t i;
  memcpy(&i, &y, 8);
  i = 0x5fe6eb50c7b537a9 - (i >> 1);
  memcpy(&y, &i, 8);
  for (int k = 0; k < 4; k++)
    y = y * (1.5 - h * y * y);
  return y;
}
static double root(double x) {
  uint64_t i = bitsOf(x);
  i = (1ull << 61) + (i >> 1) - (1ull << 51);
  double y = withBits(i);
  y = 0.5 * (y + x / y);
  y = 0.5 * (y + x / y);
  y = 0.5 * (y + x / y);
  y = 0.5 * (y + x / y);
  return y;
}
static float reciprocal(float x) {
  float y = floatWithBits(0x7EF311C7 - bitsOfFloat(x));
  y = y * (2 - x * y);
  return y * (2 - x * y);
}
static double cubeRoot(double x) {
  double y = withBits(bitsOf(x) / 3 + 0x2A9F7893782DA1CE);
  for (int k = 0; k < 5; k++)
    y = (2 * y + x / (y * y)) / 3;
  return y;
}
// A sum of two sources.
static double geometricMean(double a) {
  double b = a + 1;
  uint64_t i = (bitsOf(a) >> 1) + (bitsOf(b) >> 1);
  return withBits(i);
}
static double integerLogarithm(double x) {
  int64_t i;
  memcpy(&i, &x, 8);
  return (double)(i - 0x3ff0000000000000) * 0x1p-52;
}
static double scaledLogarithm(double x) {
  return (double)(int64_t)(bitsOf(x) - 0x3ff0000000000000) * (0x1p-52 * 0.69314718);
}
// Exponents are added to, or stand alone.
static double timesPowerOfTwo(double x) { return withBits(bitsOf(x) + (3ull << 52)) * x; }
static double exponents(double x) {
  int e = (int)(bitsOf(x) >> 52) - 1023;
  return x * e + withBits(bitsOf(x) & 0x7ff0000000000000ull) * x;
}
static double repeated(double x) {
  double s = 0;
  for (int k = 0; k < 4; k++) {
    x = withBits(bitsOf(x) + ((uint64_t)k << 52));
    s += x;
    x = x * 0.3;
  }
  return s;
}
static double negative(double x) {
  double y = x - 3;
  return (double)(int64_t)(bitsOf(y) & 0x7fffffffffffffff) * 0x1p-52 +
         withBits(bitsOf(y) + (1ull << 52));
}
// What -fsanitize=signed-integer-overflow makes of such a subtraction.
static float checkedRoot(float x) {
  int32_t i, k;
  memcpy(&i, &x, 4);
  if (__builtin_sub_overflow(0x5f3759df, i >> 1, &k))
    return 0;
  return floatWithBits(k);
}
// A mantissa from a number in fixed point.
static float uniform(float x) {
  uint32_t b = (uint32_t)(x * 8388608.0f) & 0x7fffff;
  return floatWithBits(b | 0x3f800000) - 1.0f;
}
// The high digits, and the rest.
static double high(double x) {
  double h = withBits(bitsOf(x) & 0xffffffffc0000000ull);
  return h * h + 2 * h * (x - h) + (x - h) * (x - h);
}
// Bits that become an index only.
static double hashed(double x) {
  static const double w[4] = {1, 2, 3, 4};
  uint64_t h = bitsOf(x);
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdull;
  h ^= h >> 29;
  return x * x * w[(h >> 60) & 0];
}
// The number is copied out of an array as an integer.
static double direct(const float *x, int n) {
  float s = 0;
  for (int k = 0; k < n; k++) {
    int32_t i;
    memcpy(&i, &x[k], 4);
    s += (float)i * 0x1p-23F;
  }
  return s * x[0];
}

PROGRAM(logarithm, float, 1.1, 1.9)
PROGRAM(correctedLogarithm, float, 1.1, 1.9)
PROGRAM(exponential, double, 0.1, 0.6)
PROGRAM(powerOfTwo, float, 0.1, 0.8)
PROGRAM(roundedExponential, double, 0.1, 0.6)
PROGRAM(clamped, double, 0.1, 0.6)
PROGRAM(clampedBefore, double, 0.1, 0.6)
PROGRAM(inverseRoot, float, 1.1, 1.9)
PROGRAM(checkedRoot, float, 1.1, 1.9)
PROGRAM(inverseRootDouble, double, 1.1, 1.9)
PROGRAM(root, double, 1.1, 1.9)
PROGRAM(reciprocal, float, 1.1, 1.9)
PROGRAM(cubeRoot, double, 1.1, 1.9)
PROGRAM(geometricMean, double, 1.1, 1.9)
PROGRAM(integerLogarithm, double, 1.1, 1.9)
PROGRAM(scaledLogarithm, double, 1.1, 1.9)
PROGRAM(timesPowerOfTwo, double, 1.1, 1.9)
PROGRAM(exponents, double, 1.1, 1.9)
PROGRAM(repeated, double, 1.1, 1.9)
PROGRAM(negative, double, 1.1, 1.9)
PROGRAM(uniform, float, 0.1, 0.9)
PROGRAM(high, double, 1.1, 1.9)
PROGRAM(hashed, double, 1.1, 1.9)
GRADIENT_CHECK(digits_direct, Double, direct, InRange(float, 5, 1.1, 1.9), Int(5))
