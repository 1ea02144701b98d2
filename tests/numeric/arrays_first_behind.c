// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures that begin with an array of numbers, behind the members of a structure of the caller's
// and behind global variables: nothing allocates them where one could look at it.
// Supports: structures that begin with arrays
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

enum { n = 5 };
double __enzyme_fwddiff_behind(void *, ...);
void __enzyme_autodiff_behind(void *, ...);

typedef struct {
  double x[3];
  int id;
  float w;
} Body;

typedef struct {
  Body *bodies;
  double *numbers;
  int count;
  double step;
  Body *last, first;
} System;

static double dot(const double *a, const double *b, int count) {
  double s = 0;
  for (int i = 0; i < count; ++i)
    s += a[i] * b[i];
  return s;
}

/// The caller's objects: what a structure leads to, all made of 3 n + 1 numbers.
struct objects {
  Body bodies[n], last[n];
  double numbers[4 * n];
  System system;
};

static void make(struct objects *o, const double *x, int is_shadow) {
  memset(o, 0, sizeof *o);
  for (int i = 0; i < n; ++i) {
    memcpy(o->bodies[i].x, x + 3 * i, sizeof o->bodies[i].x);
    o->bodies[i].id = (2 * i + 1) % n;
    o->bodies[i].w = is_shadow ? 0 : 0.5f * i + 1;
  }
  memcpy(o->numbers + 1, x, 3 * n * sizeof *x);
  o->system.bodies = o->bodies;
  o->system.last = o->last;
  o->system.numbers = o->numbers;
  o->system.count = n;
  o->system.step = x[3 * n];
}

static void add_bars(const struct objects *bar, double *x_bar) {
  for (int i = 0; i < 3 * n; ++i)
    x_bar[i] += bar->bodies[i / 3].x[i % 3] + bar->numbers[i + 1];
  x_bar[3 * n] += bar->system.step;
}

#define OF_SYSTEM(name)                                                                            \
  static double name##_primal(void *const *v) {                                                    \
    struct objects o;                                                                              \
    make(&o, v[0], 0);                                                                             \
    return name(&o.system);                                                                        \
  }                                                                                                \
  static double name##_tangent(void *const *v, void *const *d) {                                   \
    struct objects o, dot;                                                                         \
    make(&o, v[0], 0);                                                                             \
    make(&dot, d[0], 1);                                                                           \
    return __enzyme_fwddiff_behind((void *)name, enzyme_dup, &o.system, &dot.system);              \
  }                                                                                                \
  static void name##_adjoint(void *const *v, void *const *d) {                                     \
    struct objects o, bar;                                                                         \
    const double none[3 * n + 1] = {0};                                                            \
    make(&o, v[0], 0);                                                                             \
    make(&bar, none, 1);                                                                           \
    __enzyme_autodiff_behind((void *)name, enzyme_dup, &o.system, &bar.system);                    \
    add_bars(&bar, d[0]);                                                                          \
  }                                                                                                \
  GRADIENT_CHECK_CUSTOM(arrays_first_##name, Double, name##_primal, name##_tangent,                \
                        name##_adjoint, In(double, 3 * n + 1))

static double exchanged(System *s) {
  for (int i = 0; i < s->count; ++i)
    for (int d = 0; d < 3; ++d)
      s->bodies[i].x[d] += s->step * s->bodies[i].w * s->bodies[(i + 1) % n].x[(d + 1) % 3];
  const Body t = s->bodies[0];
  s->bodies[0] = s->bodies[s->count - 1];
  s->bodies[s->count - 1] = t;
  s->first = s->bodies[1];
  double sum = s->first.x[2];
  for (int i = 0; i < s->count; ++i)
    sum += dot(s->bodies[i].x, s->bodies[s->bodies[i].id].x, 3) * s->bodies[i].w;
  return sum;
}
OF_SYSTEM(exchanged)

__attribute__((noinline)) static void kick(Body *b, int count, double step) {
  for (int i = 0; i < count; ++i)
    for (int d = 0; d < 3; ++d)
      b[i].x[d] += step * b[(i + 1) % count].x[(d + 1) % 3] * b[i].w;
}

__attribute__((noinline)) static void exchange(Body *a, Body *b) {
  const Body t = *a;
  *a = *b;
  *b = t;
}

static double handed(System *s) {
  kick(s->bodies, s->count, s->step);
  exchange(&s->bodies[0], &s->bodies[2]);
  memcpy(s->last, s->bodies, s->count * sizeof(Body));
  Body *const t = s->last;
  s->last = s->bodies;
  s->bodies = t;
  kick(s->last, s->count, s->step);
  double sum = 0;
  for (int i = 0; i < s->count; ++i)
    sum += (i + 1) * s->bodies[i].x[0] * s->last[i].x[2] * s->bodies[i].id;
  return sum;
}
OF_SYSTEM(handed)

/// The same function gets members of structures and arrays of numbers, whole ones as well.
static double both(System *s) {
  double *copy = malloc(4 * s->count * sizeof *copy);
  memcpy(copy, s->numbers, 4 * s->count * sizeof *copy);
  double sum = s->step * dot(s->numbers, s->numbers, 4 * s->count);
  for (int i = 0; i < s->count; ++i) {
    sum += dot(s->bodies[i].x, s->bodies[(i + 2) % n].x, 3) * s->bodies[i].w;
    s->last[i] = s->bodies[s->count - 1 - i];
    sum += dot(s->last[i].x, s->bodies[i].x, 2) + dot(copy, s->numbers, 4 * i);
  }
  free(copy);
  return sum;
}
OF_SYSTEM(both)

static Body *bodies, *sorted;
static struct {
  int count;
  Body *kept;
} store;

/// Global variables lead to arrays that nobody sees being allocated.
static double variables(const double *a, double step) {
  static Body own[3][n];
  bodies = own[0];
  sorted = own[1];
  store.kept = own[2];
  store.count = n;
  for (int i = 0; i < store.count; ++i) {
    for (int d = 0; d < 3; ++d)
      bodies[i].x[d] = a[3 * i + d];
    bodies[i].id = i + 1;
    bodies[i].w = 1.5f - i;
  }
  kick(bodies, store.count, step);
  const Body t = bodies[0];
  bodies[0] = bodies[2];
  bodies[2] = t;
  for (int i = 0; i < store.count; ++i) {
    sorted[i] = bodies[n - 1 - i];
    store.kept[i] = sorted[i];
  }
  double sum = 0;
  for (int i = 0; i < store.count; ++i)
    sum += store.kept[i].x[i % 3] * sorted[i].x[1] * store.kept[i].w * sorted[i].id;
  return sum;
}
GRADIENT_CHECK(arrays_first_variables, Double, variables, In(double, 3 * n), Scalar(double))

struct link {
  double w[8];
  long mark;
  struct link *next;
  int k;
  float f;
};
static struct link first_link, second_link;
static struct {
  int at;
  struct link *link;
} ring;

/// Whole structures go through pointers of which it is known where they lead when all is optimised.
static double copied(const double *x, int count) {
  ring.at = count / 3;
  ring.link = &first_link;
  first_link.next = &second_link;
  second_link.next = &first_link;
  first_link.f = 0.75f;
  for (int i = 0; i < count; ++i) {
    first_link.w[i] = x[i];
    second_link.w[i] = x[i] * x[i];
  }
  struct link l = *ring.link;
  l.w[ring.at] = x[2] * x[2] * first_link.f;
  *ring.link->next = l;
  double sum = ring.link->next->w[1];
  for (int i = 0; i < count; ++i)
    sum += first_link.w[i] * second_link.w[i] * second_link.f;
  return sum;
}
GRADIENT_CHECK(arrays_first_copied, Double, copied, In(double, 8), Int(8))
