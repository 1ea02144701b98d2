// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs with pointers: realloc in a callee, memmove of many, an irreducible loop.
// Supports: `realloc`, `qsort`, `bsearch`
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>
struct vec {
  struct it {
    double v;
    double *p;
    int k;
  } *d;
  size_t n, c;
};
static void pushv(struct vec *v, double x, double *p) {
  if (v->n == v->c) {
    v->c = v->c ? v->c * 2 : 1;
    v->d = realloc(v->d, v->c * sizeof *v->d);
  }
  v->d[v->n++] = (struct it){x, p, (int)v->n};
}
static double f(double *x, double a, int n) {
  struct vec v = {0};
  for (int i = 0; i < n; i++)
    pushv(&v, x[i] * a, &x[i]);
  memmove(v.d, v.d + 1, (v.n - 1) * sizeof *v.d);
  double s = 0;
  size_t i = 0;
  if (n > 2)
    goto mid;
top:
  s += v.d[i].v;
mid:
  s += *v.d[i].p * v.d[i].v;
  *v.d[i].p *= 1.1;
  if (++i < v.n - 1)
    goto top;
  free(v.d);
  return s;
}
GRADIENT_CHECK(grown_structs, Double, f, InOut(double, 6), Scalar(double), Int(6))

/// Length and capacity in front of the elements, as in libraries of macros; rows of a table are
/// such arrays, too. To the analysis a capacity lies where addresses are.
struct Header {
  size_t length, capacity;
};
#define HEADER(v) ((struct Header *)(v) - 1)
#define LENGTH(v) ((v) ? HEADER(v)->length : 0)
#define APPEND(v, ...) ((v) = withRoom((v), sizeof *(v)), (v)[HEADER(v)->length++] = (__VA_ARGS__))

static void *withRoom(void *v, size_t size) {
  if (v && HEADER(v)->length < HEADER(v)->capacity)
    return v;
  const size_t capacity = v ? HEADER(v)->capacity * 2 : 2;
  struct Header *h = realloc(v ? HEADER(v) : NULL, sizeof *h + capacity * size);
  if (!v)
    h->length = 0;
  h->capacity = capacity;
  return h + 1;
}

struct Row {
  int key;
  double *values;
};

static double ofRows(const double *x, int n) {
  struct Row *rows = NULL;
  double s = 0;
  for (int i = 0; i < n; ++i) {
    struct Row row = {i, NULL};
    for (int k = 0; k <= i; ++k)
      APPEND(row.values, x[k] * (k + 1));
    APPEND(rows, row);
  }
  for (size_t i = 0; i < LENGTH(rows); ++i) {
    for (size_t k = 0; k < LENGTH(rows[i].values); ++k)
      s += rows[i].values[k] * rows[i].values[0] * rows[i].key;
    free(HEADER(rows[i].values));
  }
  free(HEADER(rows));
  return s;
}

GRADIENT_CHECK(grown_rows_of_headers, Double, ofRows, In(double, 5), Int(5))
