// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of operations of several classes, which nobody has declared const, behind pointers in
// objects. The functions have few types: what lies at another place of a table, or in a table of
// another structure, is no candidate. Taken for one another, the arrays of numbers, the lists of
// places and the names would be one object.
// Supports: tables of operations that are variables
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

struct index;
struct index_class {
  void (*destroy)(void *);
  void *(*find)(void *, long);
  void *(*add)(void *, long);
  void (*each)(struct index *, void (*)(void *, void *), void *);
};
struct index {
  struct index_class *klass;
  long count, room;
};

struct list { // of pointers to records
  struct index base;
  struct record **items;
};
struct column { // of numbers
  struct index base;
  double *values;
};

struct record_class {
  unsigned kind;
  double (*value)(void *, double);
  void *(*name)(void *, long);
  void (*forget)(void *);
};
struct record {
  struct record_class *klass;
  char name[8];
  double factor, power;
};

static void list_destroy(void *p) {
  struct list *l = p;
  for (long i = 0; i < l->base.count; ++i)
    l->items[i]->klass->forget(l->items[i]);
  free(l->items);
  free(l);
}
static void *list_find(void *p, long i) { return ((struct list *)p)->items[i]; }
static void *list_add(void *p, long i) {
  struct list *l = p;
  if (l->base.count == l->base.room)
    l->items = realloc(l->items, (l->base.room = 2 * l->base.room + 1) * sizeof *l->items);
  struct record *r = calloc(1, sizeof *r);
  r->name[0] = (char)('a' + i);
  return l->items[l->base.count++] = r;
}
static void list_each(struct index *x, void (*f)(void *, void *), void *data) {
  struct list *l = (struct list *)x;
  for (long i = 0; i < l->base.count; ++i)
    f(l->items[i], data);
}
static struct index_class list_class = {list_destroy, list_find, list_add, list_each};

static void column_destroy(void *p) {
  free(((struct column *)p)->values);
  free(p);
}
static void *column_find(void *p, long i) { return &((struct column *)p)->values[i]; }
static void *column_add(void *p, long i) {
  struct column *c = p;
  (void)i;
  if (c->base.count == c->base.room)
    c->values = realloc(c->values, (c->base.room = 2 * c->base.room + 1) * sizeof *c->values);
  c->values[c->base.count] = 0;
  return &c->values[c->base.count++];
}
static void column_each(struct index *x, void (*f)(void *, void *), void *data) {
  struct column *c = (struct column *)x;
  for (long i = 0; i < c->base.count; ++i)
    f(&c->values[i], data);
}
static struct index_class column_class = {column_destroy, column_find, column_add, column_each};

static double line_value(void *p, double x) {
  struct record *r = p;
  return r->factor * x + r->power;
}
static double square_value(void *p, double x) {
  struct record *r = p;
  return r->factor * x * x * (r->name[0] == 'b' ? r->power : 1);
}
static void *record_name(void *p, long i) { return ((struct record *)p)->name + i; }
static void record_forget(void *p) { free(p); }
static struct record_class line = {1, line_value, record_name, record_forget};
static struct record_class square = {2, square_value, record_name, record_forget};

static void *make(struct index_class *klass, size_t size) {
  struct index *x = calloc(1, size);
  x->klass = klass;
  return x;
}
struct sum {
  double of, at;
  struct index *numbers;
};
static void add_record(void *item, void *data) {
  struct record *r = item;
  struct sum *s = data;
  double *next = s->numbers->klass->add(s->numbers, 0);
  *next = r->klass->value(r, s->at) * (*(char *)r->klass->name(r, 0) - 'a' + 1);
}
static void add_number(void *item, void *data) {
  double v = *(double *)item;
  ((struct sum *)data)->of += v * v;
}

static double tables_not_const(const double *x, int n) {
  struct index *records = make(&list_class, sizeof(struct list));
  struct index *numbers = make(&column_class, sizeof(struct column));
  for (int i = 0; i + 1 < n; ++i) {
    struct record *r = records->klass->add(records, i);
    r->klass = i % 2 ? &square : &line;
    r->factor = x[i];
    r->power = x[i + 1];
  }
  struct sum s = {0, x[0] + .5, numbers};
  records->klass->each(records, add_record, &s);
  numbers->klass->each(numbers, add_number, &s);
  s.of += *(double *)numbers->klass->find(numbers, 1) *
          ((struct record *)records->klass->find(records, 0))->factor;
  records->klass->destroy(records);
  numbers->klass->destroy(numbers);
  return s.of;
}
GRADIENT_CHECK(tables_not_const_primal, Double, tables_not_const, In(double, 5), Int(5))
