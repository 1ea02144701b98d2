// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unions of a number and something else, and objects copied byte by byte.
// Supports: unions
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

union Slot {
  double d;
  long n;
};
struct Tagged {
  int isNumber;
  union Slot slot;
};

static double mixed(const double *x, double a, int n) {
  struct Tagged *t = malloc(n * sizeof *t), *u = malloc(n * sizeof *u);
  for (int i = 0; i < n; ++i) {
    t[i].isNumber = i % 3 != 0;
    if (t[i].isNumber)
      t[i].slot.d = x[i] * a;
    else
      t[i].slot.n = i;
  }
  for (int i = 0; i < n; ++i)
    if (!t[i].isNumber)
      t[i].slot.n += 2;
  for (int i = 0; i < n; ++i)
    u[n - 1 - i] = t[i];
  memcpy(t, u, n * sizeof *t);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += t[i].isNumber ? t[i].slot.d * t[i].slot.d : t[i].slot.n * a;
  free(t);
  free(u);
  return s;
}

GRADIENT_CHECK(unions, Double, mixed, In(double, 8), Scalar(double), Int(8))
