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
