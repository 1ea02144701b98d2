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

// Copies of a union through its number, whatever it holds.
union NumberOrPlace {
  double number;
  const double *place;
};

static double copiedPlaces(const double *x, int n) {
  union NumberOrPlace a[8], b[8], c[8];
  for (int i = 0; i < n; i++)
    a[3 * i % n].place = x + n - 2 - i / 2;
  for (int i = 0; i < n; i++)
    b[n - 1 - i].number = a[i].number;
  for (int i = 0; i < n; i++)
    c[2 * i % n].number = b[i].number;
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += c[i].place[0] * c[i].place[1];
  return sum;
}

static double copiedEither(const double *x, int n) {
  union NumberOrPlace a[8], b[8];
  for (int i = 0; i < n; i++)
    if (i % 2)
      a[i].place = x + i;
    else
      a[i].number = x[i] * x[0];
  for (int i = 0; i < n; i++)
    b[n - 1 - i].number = a[i].number;
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (n - 1 - i) % 2 ? *b[i].place * x[1] : b[i].number * b[i].number;
  return sum;
}

GRADIENT_CHECK(unions, Double, mixed, In(double, 8), Scalar(double), Int(8))
GRADIENT_CHECK(union_copied_places, Double, copiedPlaces, In(double, 5), Int(5))
GRADIENT_CHECK(union_copied_either, Double, copiedEither, In(double, 5), Int(5))
