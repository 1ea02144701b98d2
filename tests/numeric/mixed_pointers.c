// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers that lead to active memory or to constant memory, which only the run knows: arguments
// that the function confuses, and shadows that are their own primals.
// Supports: pointers to active or constant memory, told apart at run time
#include "GradientCheck.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern int enzyme_runtime_activity;

static double chosen(const double *x, const double *c, int n, int active) {
  const double *p = active ? x : c;
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += p[i] * x[n - 1 - i] * p[(i + 1) % n];
  return sum;
}
GRADIENT_CHECK(chosen_active, Double, chosen, In(double, 5), Const(double, 5), Int(5), Int(1))
GRADIENT_CHECK(chosen_constant, Double, chosen, In(double, 5), Const(double, 5), Int(5), Int(0))

/// Every other row is constant; the local one is active, and what is active is overwritten.
static double alternating(double *x, const double *c, int n) {
  double own[4], sum = 0;
  const double *rows[3] = {x, c, own};
  for (int i = 0; i < n; ++i)
    own[i] = x[i] * c[i];
  for (int step = 0; step < 7; ++step) {
    const double *p = rows[step % 3];
    for (int i = 0; i < n; ++i)
      x[i] = 0.5 * x[i] + 0.1 * p[(i + step) % n] * p[i];
  }
  for (int i = 0; i < n; ++i)
    sum += x[i] * own[i];
  return sum;
}
GRADIENT_CHECK(alternating, Double, alternating, InOut(double, 4), Const(double, 4), Int(4))

/// Lists of arrays: a constant one is its own shadow. Copies, recursion, constants that change.
struct List {
  double *values;
  int length;
  struct List *next;
};
double __enzyme_fwddiff_lists(void *, ...);
void __enzyme_autodiff_lists(void *, ...);

static double product(const struct List *l, int i) {
  return l ? l->values[i % l->length] * product(l->next, i + 1) : 1.0;
}
static double lists(struct List *l) {
  double sum = 0;
  for (const struct List *at = l; at; at = at->next) {
    double *copy = (double *)malloc((size_t)at->length * sizeof *copy);
    memcpy(copy, at->values, (size_t)at->length * sizeof *copy);
    for (int i = 0; i < at->length; ++i)
      sum += copy[i] * copy[i] * product(l, i);
    free(copy);
  }
  memset(l->next->values, 0, sizeof *l->next->values);
  return sum + product(l, 0) + product(l, 1);
}
static struct List at(void *values, int length, struct List *next) {
  struct List l = {(double *)values, length, next};
  return l;
}
static double lists_primal(void *const *v) {
  struct List c = at(v[2], 2, NULL), b = at(v[1], 3, &c), a = at(v[0], 2, &b);
  double kept[3];
  memcpy(kept, v[1], sizeof kept);
  const double result = lists(&a);
  memcpy(v[1], kept, sizeof kept);
  return result;
}
static double lists_tangent(void *const *v, void *const *d) {
  struct List c = at(v[2], 2, NULL), b = at(v[1], 3, &c), a = at(v[0], 2, &b);
  struct List c_dot = at(d[2], 2, NULL), b_dot = at(v[1], 3, &c_dot), a_dot = at(d[0], 2, &b_dot);
  double kept[3];
  memcpy(kept, v[1], sizeof kept);
  const double dot =
      __enzyme_fwddiff_lists((void *)lists, enzyme_runtime_activity, enzyme_dup, &a, &a_dot);
  memcpy(v[1], kept, sizeof kept);
  return dot;
}
static void lists_adjoint(void *const *v, void *const *d) {
  struct List c = at(v[2], 2, NULL), b = at(v[1], 3, &c), a = at(v[0], 2, &b);
  struct List c_bar = at(d[2], 2, NULL), b_bar = at(v[1], 3, &c_bar), a_bar = at(d[0], 2, &b_bar);
  double kept[3];
  memcpy(kept, v[1], sizeof kept);
  __enzyme_autodiff_lists((void *)lists, enzyme_runtime_activity, enzyme_dup, &a, &a_bar);
  memcpy(v[1], kept, sizeof kept);
}
GRADIENT_CHECK_CUSTOM(lists, Double, lists_primal, lists_tangent, lists_adjoint, In(double, 2),
                      Const(double, 3), In(double, 2))

/// Address spaces: the same memory through pointers of two kinds.
typedef double __attribute__((address_space(1))) far_double;
static double spaces(double *x, int n) {
  far_double *far = (far_double *)x;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    far_double *at = i % 2 ? far + i : far + n - 1 - i;
    *at = *at * x[i];
    sum += *at * far[0];
  }
  return sum + *(double *)(far + 1);
}
GRADIENT_CHECK(address_spaces, Double, spaces, InOut(double, 5), Int(5))

// Two kinds of objects behind one pointer: where one has a number, the other has an address. A
// distance that is chosen leads to the number of either.
struct short_one {
  long kind;
  double gain, bias;
};
struct long_one {
  long kind;
  double *first, *end, *room;
  int count;
  double scale, shift, bias;
};

static void *made(int kind, const double *x) {
  void *o = malloc(kind % 2 == 0 ? sizeof(struct short_one) : sizeof(struct long_one));
  *(long *)o = kind % 2 == 0;
  if (kind % 2 == 0) {
    ((struct short_one *)o)->gain = x[0];
  } else {
    struct long_one *l = o;
    l->first = malloc(2 * sizeof(double));
    l->end = l->room = l->first + 2;
    l->first[0] = x[0];
    l->first[1] = x[1] * x[1];
    l->count = 2;
    l->scale = x[1];
    l->shift = sin(x[3]);
  }
  size_t place;
  double bias;
  switch (kind) {
  case 0:
    place = offsetof(struct short_one, bias), bias = x[2] * x[3];
    break;
  case 1:
    place = offsetof(struct long_one, bias), bias = cos(x[1]);
    break;
  case 2:
    place = offsetof(struct short_one, bias), bias = x[0];
    break;
  default:
    place = offsetof(struct long_one, bias), bias = x[1] * x[2];
  }
  *(double *)((char *)o + place) = bias;
  return o;
}

static double told(void *o, double s) {
  if (*(long *)o) {
    const struct short_one *a = o;
    s = tanh(a->gain * s + 0.5) + a->bias * a->bias;
  } else {
    const struct long_one *b = o;
    for (const double *p = b->first; p != b->end; ++p)
      s += *p * b->scale;
    s = s * b->shift + b->bias;
    free(b->first);
  }
  free(o);
  return s;
}

static double kinds_behind_a_pointer(const double *x, int n) {
  double s = 0.1;
  for (int i = 0; i < n; ++i)
    s = told(made(i % 4, x + i), s);
  return s;
}
GRADIENT_CHECK(chosen_distance, Double, kinds_behind_a_pointer, In(double, 8), Int(5))
