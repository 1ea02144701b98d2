// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same array for two parameters, overlapping windows, and a pointer chosen at run time.
// Supports: aliased arguments
#include "GradientCheck.h"

__attribute__((noinline)) static double combine(double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    a[i] = a[i] * b[i] + b[n - 1 - i];
    sum += a[i];
  }
  return sum;
}

static double sameTwice(double *x, int n) { return combine(x, x, n) * combine(x, x, n); }
static double overlapping(double *x, int n) { return combine(x, x + 2, n - 2); }
static double chosen(double *x, double *y, int n) {
  for (int i = 0; i < n; i++) {
    double *target = i % 2 ? x : y;
    target[i] *= x[0];
    *(x[i] > 1 ? &x[n - 1] : &y[n - 1]) += y[i];
  }
  return x[n - 1] * y[n - 1];
}

GRADIENT_CHECK(alias_same, Double, sameTwice, InOut(double, 6), Int(6))
GRADIENT_CHECK(alias_overlap, Double, overlapping, InOut(double, 8), Int(8))
GRADIENT_CHECK(alias_chosen, Double, chosen, InOut(double, 7), InOut(double, 7), Int(7))

/// Constants that a variable of the file leads to as well, which is set outside.
double __enzyme_fwddiff_factors(void *, ...);
void __enzyme_autodiff_factors(void *, ...);
static double *factors;
static double scaled(const double *x, const double *by, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i] * by[0];
    factors[0] += 0.5;
  }
  return sum;
}
static double scaled_primal(void *const *v) {
  double own = 1;
  factors = &own;
  return scaled((double *)v[0], &own, 5);
}
static double scaled_tangent(void *const *v, void *const *d) {
  double own = 1;
  factors = &own;
  return __enzyme_fwddiff_factors((void *)scaled, enzyme_dup, (double *)v[0], (double *)d[0],
                                  enzyme_const, &own, enzyme_const, 5);
}
static void scaled_adjoint(void *const *v, void *const *d) {
  double own = 1;
  factors = &own;
  __enzyme_autodiff_factors((void *)scaled, enzyme_dup, (double *)v[0], (double *)d[0],
                            enzyme_const, &own, enzyme_const, 5);
}
GRADIENT_CHECK_CUSTOM(alias_variable, Double, scaled_primal, scaled_tangent, scaled_adjoint,
                      In(double, 5))
