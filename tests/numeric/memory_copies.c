// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memcpy of doubles and of structures, memset to zero, memmove within an array.
// Supports: `memcpy`, `memmove`, `memset`, bytes of floats
#include "GradientCheck.h"
#include <string.h>

struct State {
  double a, b;
  int tag;
  float c;
};

static double copyDoubles(const double *x, double *y, int n) {
  memcpy(y, x, n * sizeof *y);
  for (int i = 0; i < n; i++)
    y[i] *= y[i];
  memcpy(y, y + n / 2, n / 2 * sizeof *y);
  return y[0] * y[1];
}

static double copyStructs(const double *x) {
  struct State s[2] = {{x[0], x[1] * x[0], 3, 0.5f}, {x[2], x[3], 4, 1.5f}}, t[2];
  memcpy(t, s, sizeof t);
  s[0].a = 7;
  t[1] = t[0];
  t[0].b *= t[1].b + x[2];
  return t[0].a * t[0].b * t[1].b * t[1].tag * t[0].c + s[0].a * s[1].a;
}

static double setAndMove(double *x, int n) {
  double kept = x[2] * x[2];
  memset(x + 2, 0, 2 * sizeof *x);
  memmove(x + 1, x, (n - 1) * sizeof *x);
  x[0] = kept;
  memmove(x, x + 3, 3 * sizeof *x);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[n - 1 - i];
  return sum;
}

GRADIENT_CHECK(memcpy_doubles, Double, copyDoubles, In(double, 6), Out(double, 6), Int(6))
GRADIENT_CHECK(memcpy_structs, Double, copyStructs, In(double, 4))
GRADIENT_CHECK(memset_memmove, Double, setAndMove, InOut(double, 8), Int(8))
