// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways in which functions are called in C: tables, callbacks with contexts, memo tables, mutual
// recursion, results by pointer, variable arguments, opaque handles, structures of functions.
#include "GradientCheck.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef double (*Unary)(double);
static double square(double v) { return v * v; }
static double halve(double v) { return 0.5 * v; }
static double wave(double v) { return sin(v) + 0.1 * v; }
static Unary const table[] = {square, halve, wave, exp, sqrt, fabs};
static double fromTable(const double *x, int n) {
  double v = x[0];
  for (int i = 0; i < n; i++)
    v = table[i % 6](v + 0.1 * x[i]);
  return v;
}

static struct {
  const char *name;
  Unary f;
} const byName[] = {{"square", square}, {"halve", halve}, {"cos", cos}, {"wave", wave}};
static Unary lookup(const char *name) {
  for (unsigned i = 0; i < sizeof byName / sizeof *byName; i++)
    if (!strcmp(byName[i].name, name))
      return byName[i].f;
  return fabs;
}
static double namedFunctions(const double *x, int n) {
  static const char *const script[] = {"cos", "square", "wave", "nothing", "halve"};
  double v = 0;
  for (int i = 0; i < n; i++)
    v += lookup(script[i % 5])(x[i] + v);
  return v;
}

struct Context {
  const double *weights;
  double total;
};
static void visit(int i, double value, void *data) {
  struct Context *c = data;
  c->total += c->weights[i] * value * value;
}
static void each(const double *x, int n, void (*f)(int, double, void *), void *data) {
  for (int i = 0; i < n; i++)
    f(i, x[i], data);
}
static double callbacks(const double *x, const double *w, int n) {
  struct Context c = {w, 0};
  each(x, n, visit, &c);
  each(w, n, visit, &c);
  return c.total;
}

static double simpson(double (*f)(double, const void *), const void *p, double a, double b, int n) {
  double s = f(a, p) + f(b, p), h = (b - a) / n;
  for (int i = 1; i < n; i++)
    s += (i % 2 ? 4 : 2) * f(a + i * h, p);
  return s * h / 3;
}
static double integrand(double t, const void *p) {
  const double *c = p;
  return exp(-c[0] * t) * (c[1] + t);
}
static double quadrature(const double *c, double end) { return simpson(integrand, c, 0, end, 8); }

static double memo[20];
static double fibonacci(int n, double a) {
  if (n < 2)
    return n ? a : 1;
  if (memo[n] != 0)
    return memo[n];
  return memo[n] = fibonacci(n - 1, a) + 0.5 * a * fibonacci(n - 2, a);
}
static double memoised(double a) {
  memset(memo, 0, sizeof memo);
  return fibonacci(12, a);
}

static double odd(const double *x, int n);
static double even(const double *x, int n) { return n ? x[n - 1] * odd(x, n - 1) + 1 : x[0]; }
static double odd(const double *x, int n) { return n ? x[n - 1] + even(x, n - 1) * x[0] : 1; }

static double ackermann(int m, int n, double v) {
  if (m == 0)
    return v * (1 + 0.01 * n);
  if (n == 0)
    return ackermann(m - 1, 1, v * 0.9);
  return ackermann(m - 1, n - 1, ackermann(m, n - 1, v)) + 0.1 * v;
}
static double nested(double v) { return ackermann(2, 3, v); }

static double sumOf(int count, ...) {
  va_list list, again;
  va_start(list, count);
  va_copy(again, list);
  double s = 0, product = 1;
  for (int i = 0; i < count; i++)
    s += va_arg(list, double);
  for (int i = 0; i < count; i++)
    product *= va_arg(again, double);
  va_end(list);
  va_end(again);
  return s * product;
}
static double variable(const double *x) {
  return sumOf(3, x[0], x[1], x[2]) + sumOf(5, x[2], x[1] * x[0], 1.0, x[0], 2.0);
}

struct Operations {
  double (*value)(const void *self, double t);
  void (*scale)(void *self, double by);
};
struct Line {
  const struct Operations *operations;
  double a, b;
};
struct Curve {
  const struct Operations *operations;
  double c[3];
};
static double lineValue(const void *self, double t) {
  const struct Line *l = self;
  return l->a * t + l->b;
}
static void lineScale(void *self, double by) { ((struct Line *)self)->a *= by; }
static double curveValue(const void *self, double t) {
  const struct Curve *c = self;
  return (c->c[2] * t + c->c[1]) * t + c->c[0];
}
static void curveScale(void *self, double by) {
  for (int i = 0; i < 3; i++)
    ((struct Curve *)self)->c[i] *= by;
}
static const struct Operations lines = {lineValue, lineScale}, curves = {curveValue, curveScale};
static double objects(const double *x) {
  struct Line line = {&lines, x[0], x[1]};
  struct Curve curve = {&curves, {x[1], x[2], x[0]}};
  void *all[] = {&line, &curve, &line};
  double s = 0;
  for (int i = 0; i < 3; i++) {
    const struct Operations *o = *(const struct Operations **)all[i];
    s += o->value(all[i], x[i]);
    o->scale(all[i], x[2]);
  }
  return s;
}

static void minMax(const double *x, int n, double *low, double *high, int *where) {
  *low = *high = x[0];
  *where = 0;
  for (int i = 1; i < n; i++) {
    if (x[i] < *low)
      *low = x[i];
    if (x[i] > *high) {
      *high = x[i];
      *where = i;
    }
  }
}
static double byPointer(const double *x, int n) {
  double low, high;
  int where;
  minMax(x, n, &low, &high, &where);
  return low * high * (where + 1) + x[where] * x[where];
}

static const double *larger(const double *a, const double *b) { return *a > *b ? a : b; }
static double pointerResult(double *x, int n) {
  const double *best = x;
  for (int i = 1; i < n; i++)
    best = larger(best, x + i);
  double s = *best * *best;
  x[0] = 2 * *best;
  return s * x[0] + *best;
}

struct Big {
  double v[12];
  int n;
};
static struct Big fill(struct Big b, double by) {
  for (int i = 0; i < b.n; i++)
    b.v[i] = b.v[i] * by + i;
  return b;
}
static double bigValues(const double *x, int n) {
  struct Big b = {{0}, n};
  memcpy(b.v, x, (size_t)n * sizeof *x);
  struct Big c = fill(fill(b, x[0]), x[1]), d = n > 3 ? c : b;
  double s = 0;
  for (int i = 0; i < n; i++)
    s += d.v[i] * b.v[i];
  return s;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double sorted(const double *x, int n) {
  double y[9], s = 0;
  memcpy(y, x, (size_t)n * sizeof *y);
  qsort(y, (size_t)n, sizeof *y, compare);
  for (int i = 0; i < n; i++)
    s += (i + 1) * y[i] * y[i];
  return s;
}

/// As headers write it that choose between a constant and a function.
#define POWER(x, n)                                                                                \
  (__builtin_constant_p(x) ? 1.0 : __builtin_constant_p(n) ? (x) * (x) : pow(x, n))
static double known(const double *x, double p) {
  return POWER(x[0], 2) * POWER(1 + x[1] * x[1], p);
}

GRADIENT_CHECK(call_forms_table, Double, fromTable, In(double, 7), Int(7))
GRADIENT_CHECK(call_forms_named, Double, namedFunctions, In(double, 6), Int(6))
GRADIENT_CHECK(call_forms_callbacks, Double, callbacks, In(double, 5), In(double, 5), Int(5))
GRADIENT_CHECK(call_forms_quadrature, Double, quadrature, In(double, 2), Scalar(double))
GRADIENT_CHECK(call_forms_memoised, Double, memoised, Scalar(double))
GRADIENT_CHECK(call_forms_mutual, Double, even, In(double, 6), Int(6))
GRADIENT_CHECK(call_forms_nested, Double, nested, Scalar(double))
GRADIENT_CHECK(call_forms_variable, Double, variable, In(double, 3))
GRADIENT_CHECK(call_forms_objects, Double, objects, In(double, 3))
GRADIENT_CHECK(call_forms_by_pointer, Double, byPointer, In(double, 6), Int(6))
GRADIENT_CHECK(call_forms_pointer_result, Double, pointerResult, InOut(double, 5), Int(5))
GRADIENT_CHECK(call_forms_big_values, Double, bigValues, In(double, 6), Int(6))
GRADIENT_CHECK(call_forms_sorted, Double, sorted, In(double, 8), Int(8))
GRADIENT_CHECK(call_forms_known, Double, known, In(double, 2), Scalar(double))
