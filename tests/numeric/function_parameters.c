// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that differentiate what they are given: each caller has a copy of its own. Directly,
// passed on, recursively, and differentiated again.
// Supports: derivatives of functions that are parameters

#include "GradientCheck.h"

extern int enzyme_out;
double __enzyme_autodiff_slope(void *, ...);

static double square(double x) { return x * x; }
static double wave(double x) { return __builtin_sin(x) * x; }

static double slope(double (*f)(double), double x) {
  return __enzyme_autodiff_slope((void *)f, enzyme_out, x);
}
__attribute__((noinline)) static double passedOn(double (*f)(double), double x, int times) {
  return times > 0 ? passedOn(f, x * 0.5, times - 1) : slope(f, x);
}

static double sumOfSlopes(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += passedOn(square, x[i], 2) * passedOn(wave, x[i], 1) + slope(wave, x[i]);
  return sum;
}
GRADIENT_CHECK(function_parameters, Double, sumOfSlopes, In(double, 5), Int(5))
