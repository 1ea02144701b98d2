// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the frame that is made in the middle of a function, behind loops: what comes before it
// and what comes behind it may run in pieces of their own.
#include "GradientCheck.h"
#include <math.h>
#include <string.h>

static double middle(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; i++)
    s += sin(x[i]) * s;
  double *a = (double *)__builtin_alloca(8 * sizeof *a);
  memcpy(a, x, 8 * sizeof *a);
  for (int i = 1; i < n; i++)
    a[i] = a[i] * cos(a[i - 1]) + s;
  for (int i = 0; i < n; i++)
    s = s * 0.5 + a[i] * a[n - 1 - i];
  double *b = (double *)__builtin_alloca(8 * sizeof *b);
  for (int i = 0; i < n; i++)
    b[i] = exp(-a[i] * s);
  for (int i = 0; i < n; i++)
    a[i] *= b[n - 1 - i] * b[i];
  for (int i = 0; i < n; i++)
    s += a[i] * sqrt(b[i]) / (1 + s * s);
  return s;
}

static double eachTime(const double *x, int n) {
  double s = 1, *before = NULL;
  for (int k = 0; k < n; k++) {
    double *a = (double *)__builtin_alloca(8 * sizeof *a);
    for (int i = 0; i < 8; i++)
      a[i] = before ? before[i] * sin(x[i]) : x[i] * x[k];
    for (int i = 1; i < 8; i++)
      a[i] = a[i] * cos(a[i - 1]) + s * 0.1;
    if (before)
      for (int i = 0; i < 8; i++)
        before[i] *= a[7 - i];
    for (int i = 0; i < 8; i++)
      s = s * 0.5 + a[i] * exp(-a[7 - i]);
    before = a;
  }
  for (int i = 0; i < 8; i++)
    s += before[i];
  return s;
}

static double branches(const double *x, int n) {
  double s = x[0], *a;
  for (int i = 0; i < n; i++)
    s += sin(x[i]) * s;
  if (s > 1) {
    a = (double *)__builtin_alloca(8 * sizeof *a);
    memcpy(a, x, 8 * sizeof *a);
  } else {
    a = (double *)__builtin_alloca(16 * sizeof *a);
    for (int i = 0; i < 8; i++)
      a[i] = x[i] * x[i];
  }
  for (int i = 1; i < n; i++)
    a[i] = a[i] * cos(a[i - 1]) + s;
  for (int i = 0; i < n; i++)
    s = s * 0.5 + a[i] * exp(-a[n - 1 - i]);
  return s;
}

GRADIENT_CHECK(stack_in_the_middle, Double, middle, In(double, 8), Int(8))
GRADIENT_CHECK(stack_each_time, Double, eachTime, In(double, 8), Int(4))
GRADIENT_CHECK(stack_in_branches, Double, branches, In(double, 8), Int(8))
