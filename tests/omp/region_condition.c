// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The condition of a region, as flang passes it to the library.
#include "GradientCheck.h"
struct ident {
  int a, flags, b, c;
  const char *source;
};
static struct ident place = {0, 2, 0, 22, ";unknown;unknown;0;0;;"};
void __kmpc_fork_call_if(void *, int count, void (*body)(int *, int *, void *), int condition,
                         void *captured);
void __kmpc_for_static_init_4(void *, int, int, int *, int *, int *, int *, int, int);
void __kmpc_for_static_fini(void *, int);
struct captured {
  const double *x;
  double *y;
  int n;
  double *s;
};
static void body(int *thread, int *bound, void *p) {
  struct captured *c = p;
  int last = 0, lo = 0, hi = c->n - 1, step = 1;
  (void)bound;
  double s = 0;
  __kmpc_for_static_init_4(&place, *thread, 34, &last, &lo, &hi, &step, 1, 1);
  if (hi > c->n - 1)
    hi = c->n - 1;
  for (int i = lo; i <= hi; i++) {
    c->y[i] = c->x[i] * c->x[i];
    s += c->y[i] * c->x[0];
  }
  __kmpc_for_static_fini(&place, *thread);
#pragma omp atomic
  *c->s += s;
}
static double condition(const double *x, double *y, int n) {
  double s = 0;
  for (int k = n - 1; k <= n; k++) {
    struct captured c = {x, y, k, &s};
    __kmpc_fork_call_if(&place, 1, body, k == n, &c);
  }
  return s;
}
GRADIENT_CHECK(region_condition, Double, condition, In(double, 13), Out(double, 13), Int(13))
