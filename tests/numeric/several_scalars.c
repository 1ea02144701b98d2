// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One, two, three and four active arguments by value, and an active double after a pointer.
#include "GradientCheck.h"
#include <math.h>

static double one(double a) { return a * a * a; }
static double two(double a, double b) { return a * sin(b); }
static double three(double a, double b, double c) { return a * b + b * c * c; }
static double four(double a, double b, double c, double d) { return exp(a * b) / (c + d * d); }
static double between(const double *x, double a, int n, double b) {
  return a * x[0] + b * x[n - 1];
}

GRADIENT_CHECK(scalars_one, Double, one, Scalar(double))
GRADIENT_CHECK(scalars_two, Double, two, Scalar(double), Scalar(double))
GRADIENT_CHECK(scalars_three, Double, three, Scalar(double), Scalar(double), Scalar(double))
GRADIENT_CHECK(scalars_four, Double, four, Scalar(double), Scalar(double), Scalar(double),
               Scalar(double))
GRADIENT_CHECK(scalars_between, Double, between, In(double, 3), Scalar(double), Int(3),
               Scalar(double))
