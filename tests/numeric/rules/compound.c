// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions with two floating results: one returned, one through a pointer, or both through
// pointers.
#define _GNU_SOURCE
#include "GradientCheck.h"
#include <math.h>

static double both_angles(double x, double y) {
  double s, c;
  sincos(x * y, &s, &c);
  return s * x + c * c;
}
GRADIENT_CHECK(both_angles, Double, both_angles, ScalarRange(double, -3, 3), Scalar(double))

static float both_angles_single(float x, float y) {
  float s, c;
  sincosf(x * y, &s, &c);
  return s * x + c * c;
}
GRADIENT_CHECK(both_angles_single, Float, both_angles_single, ScalarRange(float, -3, 3),
               Scalar(float))

static void rotate(const double *angle, double *x, double *y, int n) {
  for (int i = 0; i < n; ++i) {
    double s, c;
    sincos(angle[i], &s, &c);
    const double turned = c * x[i] - s * y[i];
    y[i] = s * x[i] + c * y[i];
    x[i] = turned;
  }
}
GRADIENT_CHECK(rotate, Void, rotate, In(double, 7), InOut(double, 7), InOut(double, 7), Int(7))

// The integral part is inactive, also where it overwrites an active value.
static double parts(double x) {
  double whole = x * x;
  const double fraction = modf(x, &whole);
  return fraction * fraction + whole * x;
}
GRADIENT_CHECK(parts_positive, Double, parts, ScalarRange(double, 2.1, 2.9))
GRADIENT_CHECK(parts_negative, Double, parts, ScalarRange(double, -2.9, -2.1))

static double mantissa(double x) {
  int exponent;
  const double m = frexp(x, &exponent);
  return m * m + exponent * x;
}
GRADIENT_CHECK(mantissa, Double, mantissa, ScalarRange(double, 4.1, 7.9))
