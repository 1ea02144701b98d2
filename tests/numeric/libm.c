// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mathematical functions, each over an array.
// Supports: libm and its conventions
#include "GradientCheck.h"
#include <math.h>

#define MAP(name, expression)                                                                      \
  static void name##Map(const double *x, const double *z, double *y, int n) {                      \
    for (int i = 0; i < n; i++) {                                                                  \
      double a = x[i], b = z[i];                                                                   \
      (void)b;                                                                                     \
      y[i] = expression;                                                                           \
    }                                                                                              \
  }                                                                                                \
  GRADIENT_CHECK(libm_##name, Void, name##Map, InRange(double, 8, 0.1, 0.9),                       \
                 InRange(double, 8, 1.1, 2.5), Out(double, 8), Int(8))

MAP(exp, exp(a) * exp2(b) - expm1(a))
MAP(log, log(a) + log10(b) * log2(a) - log1p(b))
MAP(sincos, sin(a) * cos(b) + tan(a))
MAP(arcs, asin(a) + acos(a) * atan(b) + atan2(a, b))
MAP(hyperbolic, sinh(a) + cosh(b) * tanh(a * b) + asinh(a) * acosh(b) + atanh(a))
MAP(powers, pow(a, b) + pow(b, 3) + pow(a, 0.5) + pow(2.5, b))
MAP(roots, sqrt(a) * cbrt(b) + hypot(a, b))
MAP(extremes, fmax(a, 0.5) + fmin(a * b, 0.8) * fabs(a - 0.4) + fdim(b, 2 * a))
MAP(errors, erf(a) + erfc(b) * tgamma(b) + lgamma(b))
MAP(rounding, a *floor(4 * b) + trunc(3 * a) * b + ceil(a) + round(b) * a + rint(a) + fmod(b, a))
MAP(signs, copysign(a, a - b) + fma(a, b, a *a) + ldexp(a, 3))
