// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures that begin with an array of numbers and end with a small number beside an integer, in
// allocated memory: walked through by indices, exchanged, sorted, moved in blocks, and beside
// arrays of their own that the same functions are given.
// Supports: structures that begin with arrays
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct Body {
  double x[3];
  int id;
  float w;
};

static void fill(struct Body *b, const double *a, int n) {
  for (int i = 0; i < n; ++i) {
    b[i].id = (i * 5) % 7;
    b[i].w = 0.5f * i;
    for (int d = 0; d < 3; ++d)
      b[i].x[d] = a[i] + d * a[(i + 1) % n];
  }
}

static double weigh(const struct Body *b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (i + 1) * b[i].x[0] * b[i].x[b[i].id % 3] * b[i].w + sin(b[i].x[2]);
  return s;
}

static double exchanged(const double *a, int n) {
  struct Body *b = malloc(n * sizeof *b);
  fill(b, a, n);
  struct Body t = b[1];
  b[1] = b[n - 2];
  b[n - 2] = t;
  const double s = weigh(b, n);
  free(b);
  return s;
}

GRADIENT_CHECK(arrays_first_exchanged, Double, exchanged, In(double, 6), Int(6))

static double sorted(const double *a, int n) {
  struct Body *b = malloc(n * sizeof *b);
  fill(b, a, n);
  for (int i = 1; i < n; ++i) {
    const struct Body t = b[i];
    int k = i;
    for (; k > 0 && b[k - 1].id > t.id; --k)
      b[k] = b[k - 1];
    b[k] = t;
  }
  const double s = weigh(b, n);
  free(b);
  return s;
}

GRADIENT_CHECK(arrays_first_sorted, Double, sorted, In(double, 7), Int(7))

struct Cell {
  double y, x[2];
  short kind, level;
  float w;
};

static double moved(const double *a, int n) {
  struct Cell *c = malloc(2 * n * sizeof *c), *copy;
  for (int i = 0; i < n; ++i) {
    c[i].y = a[i];
    for (int d = 0; d < 2; ++d)
      c[i].x[d] = a[i] * (d + 1);
    c[i].kind = i % 3;
    c[i].level = i;
    c[i].w = 1.5f - 0.25f * i;
  }
  memmove(c + 2, c, n * sizeof *c);
  c = realloc(c, 3 * n * sizeof *c);
  copy = malloc(n * sizeof *c);
  memcpy(copy, c + 1, n * sizeof *c);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += copy[i].y * copy[i].x[copy[i].kind % 2] * copy[i].w + c[i].x[c[i].level % 2] * c[i].y;
  free(c);
  free(copy);
  return s;
}

GRADIENT_CHECK(arrays_first_moved, Double, moved, In(double, 6), Int(6))

static double product(const double *p, const double *q, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += p[i] * q[i];
  return s;
}

/// The array has four numbers where a body has three, an integer and a small number.
static double beside(const double *a, int n) {
  struct Body *b = malloc(n * sizeof *b);
  double *own = malloc(4 * n * sizeof *own), *copy = malloc(4 * n * sizeof *own);
  fill(b, a, n);
  for (int i = 0; i < 4 * n; ++i)
    own[i] = a[i % n] * i;
  memcpy(copy, own, 4 * n * sizeof *own);
  double s = weigh(b, n);
  for (int i = 0; i < n; ++i)
    s += product(b[i].x, copy + 4 * i, 3) + product(copy + 4 * i, own, 4);
  free(b);
  free(own);
  free(copy);
  return s;
}

GRADIENT_CHECK(arrays_first_beside, Double, beside, In(double, 5), Int(5))
