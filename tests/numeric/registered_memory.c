// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registered derivatives whose reverse reads memory that the program overwrites meanwhile, or that
// was on the stack of a function which is over. The integers of an object are in its shadow, too.
// Supports: registered derivatives of functions that are given memory which changes later
#include "GradientCheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef NOINLINE
#define NOINLINE __attribute__((noinline))
#endif

struct view {
  double *data;
  int size;
};

/// Sum of squares; its reverse asks the shadow for the size.
NOINLINE static double squares(const struct view *v) {
  double s = 0;
  for (int i = 0; i < v->size; ++i)
    s += v->data[i] * v->data[i];
  return s;
}
static double squares_augmented(const struct view *v, struct view *bar) {
  return squares(v) + 0 * bar->size;
}
static void squares_reverse(const struct view *v, struct view *bar, double seed) {
  for (int i = 0; i < bar->size; ++i)
    bar->data[i] += 2 * seed * v->data[i];
}
static double squares_tangent(const struct view *v, const struct view *dot) {
  double s = 0;
  for (int i = 0; i < dot->size; ++i)
    s += 2 * v->data[i] * dot->data[i];
  return s;
}
__attribute__((used)) static void *__enzyme_register_gradient_squares[] = {
    (void *)squares, (void *)squares_augmented, (void *)squares_reverse};
__attribute__((used)) static void *__enzyme_register_derivative_squares[] = {
    (void *)squares, (void *)squares_tangent};

static double in_loop(const double *x, int n) {
  double t = 0;
  for (int i = 0; i < n; ++i) {
    struct view v = {(double *)x + i, n - i};
    const double s = squares(&v);
    t += s * s;
  }
  return t;
}
GRADIENT_CHECK(registered_in_loop, Double, in_loop, In(double, 6), Int(6))

NOINLINE static double in_recursion(const double *x, int n) {
  struct view v = {(double *)x, n};
  const double s = squares(&v);
  return n > 1 ? s * x[0] + in_recursion(x + 1, n - 1) * s : s;
}
GRADIENT_CHECK(registered_in_recursion, Double, in_recursion, In(double, 5), Int(5))

/// An array of views, of which one is taken, and copied whole.
static double copied(const double *x, int n) {
  struct view all[3], one;
  double t = 0;
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < 3; ++j) {
      all[j].data = (double *)x + (k + j) % 3;
      all[j].size = 1 + (k + j) % 3;
    }
    t += squares(&all[k % 3]) * x[k];
    memcpy(&one, &all[(k + 1) % 3], sizeof one);
    t += sin(squares(&one));
    one.size = 1;
    t += squares(&one);
  }
  return t;
}
GRADIENT_CHECK(registered_copied, Double, copied, In(double, 6), Int(6))

/// Numbers of its own, beside what it leads to. The call changes one of them, and counts.
struct state {
  double a, b;
  double *rest;
  int calls;
  double c[3];
};
NOINLINE static double advance(struct state *s) {
  const double r = s->a * s->b + s->rest[0] * s->c[s->calls % 3];
  s->calls += 1;
  s->a = r;
  return r * s->b;
}
struct before {
  double a, rest, c;
};
struct before_and_result {
  struct before *tape;
  double result;
};
static struct before_and_result advance_augmented(struct state *s, struct state *bar) {
  struct before_and_result out;
  (void)bar;
  out.tape = malloc(sizeof *out.tape);
  out.tape->a = s->a;
  out.tape->rest = s->rest[0];
  out.tape->c = s->c[s->calls % 3];
  out.result = advance(s);
  return out;
}
/// The primal is as it was behind the call: a is the result, calls are one more.
static void advance_reverse(struct state *s, struct state *bar, double seed, struct before *tape) {
  const double r = s->a, r_bar = bar->a + seed * s->b;
  bar->b += seed * r + r_bar * tape->a;
  bar->a = r_bar * s->b;
  bar->rest[0] += r_bar * tape->c;
  bar->c[(s->calls - 1) % 3] += r_bar * tape->rest;
  free(tape);
}
__attribute__((used)) static void *__enzyme_register_gradient_advance[] = {
    (void *)advance, (void *)advance_augmented, (void *)advance_reverse};

static double states(const double *x, int n) {
  double t = 0;
  for (int i = 0; i + 3 < n; ++i) {
    struct state s = {x[i], x[i + 1], (double *)x + i + 2, i, {x[0], x[1], x[2]}};
    for (int k = 0; k < 3; ++k) {
      t += advance(&s);
      s.b += 0.1 * x[i] * k;
      s.rest = (double *)x + (i + k) % n;
    }
    t += s.a * s.calls;
  }
  return t;
}
GRADIENT_CHECK(registered_states, Double, states, In(double, 7), Int(7))

/// A view that was set up before the call, and one that is a variable of the program.
static struct view known;
static double in_variable(const double *x, int n) {
  known.data = (double *)x;
  known.size = n;
  return squares(&known) * x[0];
}
GRADIENT_CHECK(registered_in_variable, Double, in_variable, In(double, 4), Int(4))

/// The object is one of two, or given by whoever calls.
NOINLINE static double of_caller(const struct view *v, const double *x) {
  return squares(v) * x[0];
}
static double chosen(const double *x, int n) {
  struct view a = {(double *)x, n}, b = {(double *)x + 1, n - 1};
  return of_caller(x[0] > 0 ? &a : &b, x) + squares(x[1] > 0 ? &a : &b);
}
GRADIENT_CHECK(registered_chosen, Double, chosen, In(double, 4), Int(4))

static double on_heap(const double *x, int n) {
  double t = 0, *y = malloc((unsigned long)n * sizeof *y);
  memcpy(y, x, (unsigned long)n * sizeof *y);
  for (int k = 0; k < 3; ++k) {
    struct view v = {y, n - k};
    const double s = squares(&v);
    t += s * x[k];
    for (int i = 0; i < n; ++i)
      y[i] *= 0.5 * sin(s) + x[0];
    if (k == 1)
      memset(y, 0, sizeof *y);
  }
  free(y);
  return t;
}
GRADIENT_CHECK(registered_on_heap, Double, on_heap, In(double, 5), Int(5))

/// The view is of an array of the same function.
NOINLINE static double of_array(const double *x, int n) {
  double room[4];
  for (int i = 0; i < 4; ++i)
    room[i] = x[i] * x[n];
  struct view v = {room, 4};
  const double s = squares(&v);
  return n > 0 ? s + of_array(x, n - 1) * s : s;
}
static double of_arrays(const double *x, int n) {
  double t = of_array(x, 2);
  for (int i = 0; i < n; ++i) {
    double pair[2] = {x[i], x[(i + 1) % n]};
    struct view v = {pair, 2};
    t += squares(&v) * x[i];
  }
  return t;
}
GRADIENT_CHECK(registered_of_arrays, Double, of_arrays, In(double, 5), Int(5))

/// An object with an address of its own inside.
struct small {
  struct view in;
  double room[4];
};
static double inside(const double *x, int n) {
  double t = 0;
  for (int i = 0; i < n; ++i) {
    struct small s;
    s.in.size = n;
    s.in.data = s.room;
    for (int j = 0; j < n; ++j)
      s.room[j] = x[j] * x[i];
    const double r = squares(&s.in);
    t += r * r;
  }
  return t;
}
GRADIENT_CHECK(registered_inside, Double, inside, In(double, 3), Int(3))
