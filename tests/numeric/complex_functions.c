// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <complex.h>: products and quotients that may go through the compiler's helpers, elementary
// functions in both precisions, and an array of complex numbers.
// Supports: complex numbers
#include "GradientCheck.h"
#include <complex.h>
#include <math.h>

static double products(const double *x, int n) {
  double complex z = 1 + 0.5 * I;
  for (int i = 0; i + 1 < n; i++) {
    double complex w = x[i] + x[i + 1] * I;
    z = i % 2 ? z * w : w / z;
  }
  return creal(z) + 2 * cimag(z) + cabs(z);
}

static double elementary(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i + 1 < n; i += 2) {
    double complex z = x[i] + x[i + 1] * I;
    double complex f = cexp(z) + clog(z) * csqrt(z) + csin(z) / ccos(z) + ctan(z) * csinh(z) -
                       ccosh(z) + ctanh(z) + cpow(z, 1.5 - 0.5 * conj(z)) + carg(z);
    sum += creal(f) * cimag(f);
  }
  return sum;
}

static double inverse(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i + 1 < n; i += 2) {
    double complex z = 0.7 * x[i] + 0.9 * (x[i + 1] - 2) * I;
    double complex f = casin(z) * cacos(-z) + catan(z) * casinh(-z) - cacosh(z - 2) * catanh(z / 2);
    sum += creal(f) * cimag(f + cacosh(conj(z)));
  }
  return sum;
}

static float inverseSingle(const float *x, int n) {
  float sum = 0;
  for (int i = 0; i + 1 < n; i += 2) {
    float complex z = 0.7f * x[i] + 0.9f * (x[i + 1] - 2) * I;
    float complex f = casinf(z) * cacosf(-z) + catanf(z) * casinhf(-z) * cacoshf(z) * catanhf(z);
    sum += crealf(f) * cimagf(f);
  }
  return sum;
}

static float single(const float *x, int n) {
  float complex z = 1;
  for (int i = 0; i + 1 < n; i++) {
    float complex w = x[i] + x[i + 1] * I;
    z = i % 2 ? csqrtf(z * w) : cexpf(w / (z + 2)) + csinf(w);
  }
  return crealf(z) * cimagf(z) + cabsf(z) * cargf(z + 2);
}

// x86 passes complex long doubles in memory.
long double complex conjugateLong(long double complex z) __asm__("conjl");
static double longs(const double *x, int n) {
  long double sum = 0;
  for (int i = 0; i + 1 < n; i += 2) {
    long double complex z = x[i] + x[i + 1] * I, w = 0.7L * x[i] + 0.9L * (x[i + 1] - 2) * I;
    long double complex f = cexpl(z) + clogl(z) * csqrtl(z) + csinl(z) / ccosl(z) - ccoshl(z) +
                            ctanl(z) * csinhl(z) + ctanhl(z) +
                            cpowl(z, 1.5L - 0.5L * conjugateLong(z)) + cargl(z) * cabsl(z);
    f += casinl(w) * cacosl(-w) + catanl(w) * casinhl(-w) - cacoshl(w - 2) * catanhl(w / 2);
    sum += creall(f) * cimagl(f + cprojl(w));
  }
  return (double)sum;
}

static double transform(const double *x, double *y, int n) {
  double power = 0;
  for (int k = 0; k < n; k++) {
    double complex sum = 0;
    for (int j = 0; j < n; j++)
      sum += x[j] * cexp(-6.283185307179586 * I * j * k / n);
    y[k] = creal(sum * conj(sum));
    power += y[k] * k;
  }
  return power;
}

// As calls, which -fno-builtin leaves of them.
double complex conjugate(double complex z) __asm__("conj");
double realPart(double complex z) __asm__("creal");
double imaginaryPart(double complex z) __asm__("cimag");
float complex conjugateSingle(float complex z) __asm__("conjf");
float realPartSingle(float complex z) __asm__("crealf");
float imaginaryPartSingle(float complex z) __asm__("cimagf");
static double parts(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i + 1 < n; i++) {
    const double complex z = x[i] + x[i + 1] * I, w = conjugate(z) * z * z;
    sum += realPart(w) * imaginaryPart(w);
  }
  return sum;
}
static float partsSingle(const float *x, int n) {
  float sum = 0;
  for (int i = 0; i + 1 < n; i++) {
    const float complex z = x[i] + x[i + 1] * I;
    sum += realPartSingle(z) * imaginaryPartSingle(conjugateSingle(z) * z * z);
  }
  return sum;
}

GRADIENT_CHECK(complex_products, Double, products, In(double, 7), Int(7))
GRADIENT_CHECK(complex_elementary, Double, elementary, In(double, 6), Int(6))
GRADIENT_CHECK(complex_inverse, Double, inverse, In(double, 6), Int(6))
GRADIENT_CHECK_BOUND(1e-5, complex_inverse_single, Float, inverseSingle, In(float, 6), Int(6))
GRADIENT_CHECK_BOUND(1e-5, complex_single, Float, single, In(float, 6), Int(6))
GRADIENT_CHECK(complex_long, Double, longs, In(double, 6), Int(6))
GRADIENT_CHECK(complex_transform, Double, transform, In(double, 6), Out(double, 6), Int(6))
GRADIENT_CHECK(complex_parts, Double, parts, In(double, 6), Int(6))
GRADIENT_CHECK_BOUND(1e-5, complex_parts_single, Float, partsSingle, In(float, 6), Int(6))
