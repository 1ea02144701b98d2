// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of the call's own whose addresses lie in tables: of its own, beside the caller's, and in
// tables of the caller's that are passed twice, so that what is written through one is read through
// the other.
// Supports: aliased arguments
#include "GradientCheck.h"
#include <stdlib.h>

enum { n = 5 };
double __enzyme_fwddiff_tables(void *, ...);
void __enzyme_autodiff_tables(void *, ...);

/// What is read through the table is the local array, or the caller's.
static double own_table(double *x, int count) {
  double own[n], sum = 0, *table[2] = {own, x};
  for (int i = 0; i < count; i++)
    own[i] = 1 + x[i];
  for (int k = 0; k < 5; k++) {
    const double *read = table[k * count % 2];
    double part = 0;
    for (int i = 0; i < count; i++)
      part += read[i] * read[i] * x[i];
    for (int i = 0; i < count; i++)
      own[i] += 0.01 * part * read[i];
    sum += part;
  }
  return sum;
}
GRADIENT_CHECK(own_table, Double, own_table, InOut(double, n), Int(n))

struct object {
  double *array;
  int *at, count;
};

/// second is &first->array, and third &first->at, or they are others.
__attribute__((noinline)) static double passed_twice(struct object *first, double **second,
                                                     int **third, const double *x) {
  double stack[n], *heap = malloc(sizeof stack), sum = 0;
  int at[n], count = first->count;
  for (int i = 0; i < count; i++) {
    stack[i] = x[i] * x[i];
    heap[i] = stack[i] + 1;
    at[i] = (3 * i + 1) % count;
  }
  first->at = at;
  for (int k = 0; k < 4; k++) {
    double part = 0, *own = k % 2 ? heap : stack;
    first->array = own;
    for (int i = 0; i < count; i++)
      part += own[i] * x[at[i]] * x[i] + 0.1 * stack[i] * stack[at[i]];
    for (int i = 0; i < count; i++)
      (*second)[i] += 0.1 * part * x[i];
    for (int i = 0; i < count; i++)
      (*third)[i] = ((*third)[i] + 1) % count;
    sum += (k + 1) * part;
  }
  free(heap);
  return sum;
}

static double primal(void *const *v) {
  struct object o = {NULL, NULL, n};
  return passed_twice(&o, &o.array, &o.at, (double *)v[0]);
}
static double tangent(void *const *v, void *const *d) {
  struct object o = {NULL, NULL, n}, dot = o;
  return __enzyme_fwddiff_tables((void *)passed_twice, enzyme_dup, &o, &dot, enzyme_dup, &o.array,
                                 &dot.array, enzyme_dup, &o.at, &dot.at, enzyme_dup, v[0], d[0]);
}
static void adjoint(void *const *v, void *const *d) {
  struct object o = {NULL, NULL, n}, bar = o;
  __enzyme_autodiff_tables((void *)passed_twice, enzyme_dup, &o, &bar, enzyme_dup, &o.array,
                           &bar.array, enzyme_dup, &o.at, &bar.at, enzyme_dup, v[0], d[0]);
}
GRADIENT_CHECK_CUSTOM(passed_twice, Double, primal, tangent, adjoint, In(double, n))
