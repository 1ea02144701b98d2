// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point types beside double: long double, half precision, complex of every width.
// Supports: `long double`, `_Complex` of every width
#include "GradientCheck.h"
#include <complex.h>
#include <math.h>

static double longSum(const double *x, int n) {
  long double s = 0;
  for (int i = 0; i < n; i++)
    s += (long double)x[i] * x[i] * x[(i + 1) % n];
  return (double)s;
}

static double longFunctions(const double *x, int n) {
  long double p = 1;
  for (int i = 0; i < n; i++)
    p *= sinl(x[i]) + expl(-(long double)x[i]) + sqrtl(x[i]);
  return (double)logl(p);
}

static double longMemory(const double *x, int n) {
  long double a[8];
  for (int i = 0; i < n; i++)
    a[i] = x[i];
  for (int round = 0; round < 3; round++)
    for (int i = 1; i < n; i++)
      a[i] = a[i] * a[i - 1] + 0.1L;
  return (double)a[n - 1];
}

// Compensated summation.
static double kahan(const double *x, int n) {
  double s = 0, c = 0;
  for (int i = 0; i < n; i++) {
    double y = x[i] * x[i] - c, t = s + y;
    c = (t - s) - y;
    s = t;
  }
  return s;
}

static double complexDouble(const double *x, int n) {
  double complex z = x[0] + I * x[1];
  for (int i = 0; i < n; i++)
    z = z * z * 0.3 + (x[i] - I * x[(i + 2) % n]);
  return creal(z) * cimag(z) + cabs(z);
}

static double complexFloat(const float *x, int n) {
  float complex s = 0;
  for (int i = 0; i + 1 < n; i++)
    s += (x[i] + I * x[i + 1]) / (x[i + 1] + I);
  return crealf(s * conjf(s));
}

static double complexDivision(const double *x, int n) {
  double complex s = 1;
  for (int i = 0; i < n; i++)
    s = (s + x[i] * I) / (x[i] + 2 * I * x[0]);
  return creal(s) + 2 * cimag(s);
}

static double complexArrays(const double *x, double *y, int n) {
  double complex a[4][4], b[4] = {0};
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = x[i] * cexp(I * x[j]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i] += a[i][j] * conj(a[j][i]) + a[j][i];
  double s = 0;
  for (int i = 0; i < n; i++) {
    y[2 * i] = creal(b[i]);
    y[2 * i + 1] = cimag(b[i]);
    s += carg(b[i] + 20);
  }
  return s;
}

// Parts of a complex number by address.
static double complexParts(const double *x, int n) {
  double complex z[6];
  double *parts = (double *)z, s = 0;
  for (int i = 0; i < 2 * n; i++)
    parts[i] = x[i] * x[0];
  for (int i = 0; i < n; i++) {
    __real__ z[i] += 0.5;
    s += creal(z[i] * z[i]) * __imag__ z[i];
  }
  return s;
}

static double complexLong(const double *x, int n) {
  long double complex z = 1;
  for (int i = 0; i < n; i++)
    z *= x[i] + 0.5L * I;
  return (double)creall(z);
}

static double bool01(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += (x[i] > 1) * x[i] + (_Bool)(x[i] > 0.5) * x[i] * x[i] + !(i & 1) * x[0];
  return s;
}

static double integersOfEveryWidth(const double *x, int n) {
  double s = 0;
  for (signed char c = -3; c < n; c++)
    s += c * x[(unsigned char)(c + 3) % n];
  for (unsigned short u = 65530; u > 10; u++)
    s += u * 1e-5 * x[u % n] * x[0];
  for (long long l = 5; l-- > 0;)
    s *= 1 + 0.01 * (double)l * x[l % n];
  __int128 big = (__int128)n << 70;
  return s + (double)(big >> 68) * x[1];
}

static double longParts(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    int exponent;
    const long double mantissa = frexpl((long double)x[i] * x[i] + 1.1L, &exponent);
    if (__builtin_isfinite(x[i]) && __builtin_isnormal(x[i]))
      sum += (double)(mantissa * mantissa) * x[i] + exponent;
  }
  return sum;
}

GRADIENT_CHECK(number_types_long_parts, Double, longParts, InRange(double, 3, 1.0, 1.3), Int(3))
GRADIENT_CHECK(number_types_long_sum, Double, longSum, In(double, 5), Int(5))
GRADIENT_CHECK(number_types_long_functions, Double, longFunctions, In(double, 4), Int(4))
GRADIENT_CHECK(number_types_long_memory, Double, longMemory, In(double, 5), Int(5))
GRADIENT_CHECK(number_types_kahan, Double, kahan, In(double, 9), Int(9))
GRADIENT_CHECK(number_types_complex, Double, complexDouble, In(double, 5), Int(5))
GRADIENT_CHECK(number_types_complex_float, Double, complexFloat, In(float, 5), Int(5))
GRADIENT_CHECK(number_types_complex_division, Double, complexDivision, In(double, 5), Int(5))
GRADIENT_CHECK(number_types_complex_arrays, Double, complexArrays, In(double, 4), Out(double, 8),
               Int(4))
GRADIENT_CHECK(number_types_complex_parts, Double, complexParts, In(double, 10), Int(5))
GRADIENT_CHECK(number_types_complex_long, Double, complexLong, In(double, 5), Int(5))
GRADIENT_CHECK(number_types_bool, Double, bool01, In(double, 7), Int(7))
GRADIENT_CHECK(number_types_integers, Double, integersOfEveryWidth, In(double, 5), Int(5))
