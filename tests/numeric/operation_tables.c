// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of operations that are filled at run time, as large C libraries have them: vectors and
// matrices whose functions have the same types, and must not be taken for one another. A callback
// that is passed on through such a table.
// Supports: tables of operations filled at run time, objects behind `void *`
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct object *object_t;
typedef double (*function_t)(double, object_t);
struct operations {
  int (*kind)(object_t);
  object_t (*clone)(object_t);
  void *(*data)(object_t);
  void *(*order)(object_t);
  void (*destroy)(object_t);
  double (*dot)(object_t, object_t);
  int (*set_function)(object_t, function_t);
  double (*apply)(object_t, object_t);
};
struct object {
  void *content;
  struct operations *ops;
};
struct vector {
  long length;
  long *order;
  double *data;
};
struct matrix {
  long rows, columns;
  double *data;
};
struct solver {
  function_t function;
  function_t monitor;
  object_t matrix;
  long calls;
};

static object_t empty(void) {
  object_t o = malloc(sizeof *o);
  o->ops = calloc(1, sizeof *o->ops);
  o->content = NULL;
  return o;
}
static void release(object_t o) {
  free(o->content);
  free(o->ops);
  free(o);
}

static int vector_kind(object_t v) { return (int)((struct vector *)v->content)->length; }
static void *vector_data(object_t v) { return ((struct vector *)v->content)->data; }
static void *vector_order(object_t v) { return ((struct vector *)v->content)->order; }
static void vector_destroy(object_t v) {
  free(((struct vector *)v->content)->order);
  free(((struct vector *)v->content)->data);
  release(v);
}
static double vector_dot(object_t a, object_t b) {
  const struct vector *x = a->content, *y = b->content;
  double s = 0;
  for (long i = 0; i < x->length; ++i)
    s += x->data[i] * y->data[i];
  return s;
}
static object_t vector_clone(object_t v);
static object_t vector_new(long n) {
  object_t v = empty();
  v->ops->kind = vector_kind;
  v->ops->clone = vector_clone;
  v->ops->data = vector_data;
  v->ops->order = vector_order;
  v->ops->destroy = vector_destroy;
  v->ops->dot = vector_dot;
  struct vector *c = malloc(sizeof *c);
  c->length = n;
  c->data = calloc(n, sizeof(double));
  c->order = calloc(n, sizeof(long));
  for (long i = 0; i < n; ++i)
    c->order[i] = n - 1 - i;
  v->content = c;
  return v;
}
static object_t vector_clone(object_t v) {
  const struct vector *c = v->content;
  object_t w = vector_new(c->length);
  memcpy(((struct vector *)w->content)->data, c->data, c->length * sizeof(double));
  return w;
}

static int matrix_kind(object_t m) { return (int)((struct matrix *)m->content)->rows; }
static void *matrix_data(object_t m) { return ((struct matrix *)m->content)->data; }
static void matrix_destroy(object_t m) {
  struct matrix *c = m->content;
  free(c->data);
  release(m);
}
static double matrix_dot(object_t m, object_t v) {
  const struct matrix *a = m->content;
  const double *x = v->ops->data(v);
  double s = 0;
  for (long j = 0; j < a->columns; ++j)
    for (long i = 0; i < a->rows; ++i)
      s += a->data[j * a->rows + i] * x[i] * (j + 1);
  return s;
}
static object_t matrix_clone(object_t m);
static object_t matrix_new(long n) {
  object_t m = empty();
  m->ops->kind = matrix_kind;
  m->ops->clone = matrix_clone;
  m->ops->data = matrix_data;
  m->ops->destroy = matrix_destroy;
  m->ops->dot = matrix_dot;
  struct matrix *c = malloc(sizeof *c);
  c->rows = c->columns = n;
  c->data = calloc(n * n, sizeof(double));
  m->content = c;
  return m;
}
static object_t matrix_clone(object_t m) {
  const struct matrix *c = m->content;
  object_t w = matrix_new(c->rows);
  memcpy(((struct matrix *)w->content)->data, c->data, c->rows * c->rows * sizeof(double));
  return w;
}

static int solver_set(object_t s, function_t f) {
  ((struct solver *)s->content)->function = f;
  return 0;
}
static void solver_destroy(object_t s) { release(s); }
static double solver_apply(object_t s, object_t v) {
  struct solver *c = s->content;
  double *x = v->ops->data(v), sum = 0;
  const long *order = v->ops->order(v);
  const int n = v->ops->kind(v);
  for (int i = 0; i < n; ++i) {
    const long k = order[i];
    x[k] = c->function(x[k], c->matrix) * (i + 1);
    if (c->monitor)
      sum += c->monitor(x[k], s);
    ++c->calls;
  }
  return sum + c->matrix->ops->dot(c->matrix, v);
}
static object_t solver_new(object_t matrix) {
  object_t s = empty();
  s->ops->destroy = solver_destroy;
  s->ops->set_function = solver_set;
  s->ops->apply = solver_apply;
  struct solver *c = calloc(1, sizeof *c);
  c->matrix = matrix;
  s->content = c;
  return s;
}
static double response(double x, object_t matrix) {
  const double *a = matrix->ops->data(matrix);
  return sin(x) * a[1];
}

static double operate(const double *x, int n) {
  object_t v = vector_new(n), m = matrix_new(n);
  double *data = v->ops->data(v), *a = m->ops->data(m);
  for (int i = 0; i < n; ++i) {
    data[i] = x[i] * x[i];
    for (int j = 0; j < n; ++j)
      a[j * n + i] = cos(x[i] + j) * x[j];
  }
  object_t w = v->ops->clone(v), b = m->ops->clone(m), s = solver_new(b);
  s->ops->set_function(s, response);
  double r = s->ops->apply(s, w);
  r += v->ops->dot(v, w) * m->ops->kind(m) + m->ops->dot(m, v);
  s->ops->destroy(s);
  w->ops->destroy(w);
  v->ops->destroy(v);
  b->ops->destroy(b);
  m->ops->destroy(m);
  return r;
}
GRADIENT_CHECK(operation_tables, Double, operate, In(double, 4), Int(4))

/* An array of functions that this file keeps to itself, beside a function of their type. */
static void (*steps[2])(void *, void *);
static void scale(void *to, void *by) { *(double *)to *= *(double *)by; }
static void shift(void *to, void *by) { *(double *)to += sin(*(double *)by); }
static void relink(void *to, void *by) { *(void **)to = by; }
extern void (*relinks)(void *, void *);
void (*relinks)(void *, void *) = relink;

static double stepped(const double *x, int n) {
  steps[0] = scale;
  steps[1] = shift;
  double values[2] = {x[0], x[1]};
  for (int i = 0; i < n; ++i) {
    double by = x[i];
    steps[i % 3 == 1](&values[i % 2], &by);
  }
  return values[0] * values[1];
}
GRADIENT_CHECK(array_of_steps, Double, stepped, In(double, 6), Int(6))

/* What a library finds in a table of names; at -O0 it is a call. */
struct Keyword {
  const char *name;
  double (*apply)(double, double);
};
static double plus(double a, double b) { return a + b; }
static double by(double a, double b) { return a / b; }
static double times(double a, double b) { return a * b; }
static const struct Keyword keywords[] = {{"by", by}, {"plus", plus}, {"times", times}};

static int byName(const void *key, const void *entry) {
  return strcmp(key, ((const struct Keyword *)entry)->name);
}
static double searched(const double *x, int n) {
  static const char *const words[] = {"times", "plus", "of", "by"};
  double s = 1.5;
  for (int i = 0; i < n; ++i) {
    const struct Keyword *k = bsearch(words[i % 4], keywords, 3, sizeof *keywords, byName);
    if (k)
      s = k->apply(s, x[i] + 0.5);
  }
  return s;
}

GRADIENT_CHECK(searched_operations, Double, searched, In(double, 6), Int(6))
