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
