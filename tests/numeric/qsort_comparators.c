// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qsort and bsearch: doubles, structs, pointers to structs.
// Supports: `realloc`, `qsort`, `bsearch`
#include "GradientCheck.h"
#include <stdlib.h>

struct Item {
  int key;
  double value, *where;
};

static int upward(const void *p, const void *q) {
  double a = *(const double *)p, b = *(const double *)q;
  return (a > b) - (a < b);
}
static int byKey(const void *p, const void *q) {
  return ((const struct Item *)p)->key - ((const struct Item *)q)->key;
}
static int byValue(const void *p, const void *q) {
  return upward(&(*(struct Item *const *)p)->value, &(*(struct Item *const *)q)->value);
}

static double sorted(double *x, double a, int n) {
  struct Item items[8], *order[8];
  double own[8];
  for (int i = 0; i < n; ++i) {
    own[i] = x[i] * a;
    items[i] = (struct Item){(5 * i) % n, x[i] * x[i], &own[i]};
    order[i] = &items[i];
  }
  qsort(items, n, sizeof *items, byKey);
  qsort(order, n, sizeof *order, byValue);
  qsort(x, n, sizeof *x, upward);
  struct Item wanted = {3, 0, 0};
  struct Item *found = bsearch(&wanted, items, n, sizeof *items, byKey);
  double s = found ? found->value * 2 : 0;
  for (int i = 0; i < n; ++i) {
    s += i * items[i].value * *items[i].where;
    s += (i + 1) * order[i]->value;
    s += (i + 2) * x[i] * x[i];
    x[i] *= a;
  }
  return s;
}

GRADIENT_CHECK(qsort_comparators, Double, sorted, InOut(double, 8), Scalar(double), Int(8))

/// Nobody but the comparison looks at the numbers.
static int descending(const void *p, const void *q) {
  const float a = *(const float *)p, b = *(const float *)q;
  return (a < b) - (a > b);
}
static void ranked(float *x, int n) { qsort(x, n, sizeof *x, descending); }

GRADIENT_CHECK(qsort_in_place, Void, ranked, InOut(float, 6), Int(6))
