// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives that the user registers of functions whose numbers lie behind addresses in what they
// are given: views, rows, lists, and a matrix in a context. They are read there, written there, or
// both, directly and through functions that hand out an element.
// Supports: registered derivatives of functions that are given structures with pointers to numbers
#pragma clang diagnostic ignored "-Wunused-parameter" // derivatives are given more than they need

#include "GradientCheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct view {
  double *data;
  int size;
};

// A number from what a view leads to.
static double length(const struct view *v) {
  double sum = 0;
  for (int i = 0; i < v->size; ++i)
    sum += v->data[i] * v->data[i];
  return sqrt(sum);
}
struct taped_length {
  void *tape;
  double result;
};
static struct taped_length length_augmented(const struct view *v, struct view *v_bar) {
  double *tape = (double *)malloc((v->size + 1) * sizeof *tape);
  struct taped_length r = {tape, *tape = length(v)};
  memcpy(tape + 1, v->data, v->size * sizeof *tape);
  return r;
}
static void length_reverse(const struct view *v, struct view *v_bar, double r_bar, void *tape) {
  double *kept = (double *)tape;
  for (int i = 0; i < v->size; ++i)
    v_bar->data[i] += r_bar * kept[i + 1] / kept[0];
  free(tape);
}
static double length_tangent(const struct view *v, const struct view *v_dot) {
  double sum = 0;
  for (int i = 0; i < v->size; ++i)
    sum += v->data[i] * v_dot->data[i];
  return sum / length(v);
}
__attribute__((used)) static void *__enzyme_register_gradient_length[] = {
    (void *)length, (void *)length_augmented, (void *)length_reverse};
__attribute__((used)) static void *__enzyme_register_derivative_length[] = {(void *)length,
                                                                            (void *)length_tangent};

static double lengths(double *x, int n) {
  struct view whole = {x, n}, half = {x + n / 2, n / 2};
  double sum = length(&whole) * length(&half);
  x[0] = sum;
  return sum + length(&whole);
}
GRADIENT_CHECK(registered_views, Double, lengths, InOut(double, 6), Int(6))

// Numbers into what a view leads to, element by element.
static double *element(struct view *v, int i) { return &v->data[i]; }
static void powers(const double *x, struct view *out) {
  double p = 1;
  for (int i = 0; i < out->size; ++i)
    *element(out, i) = p *= *x;
}
static void *powers_augmented(const double *x, double *x_bar, struct view *out,
                              struct view *out_bar) {
  double *tape = (double *)malloc(sizeof *tape);
  *tape = *x;
  powers(x, out);
  return tape;
}
static void powers_reverse(const double *x, double *x_bar, struct view *out, struct view *out_bar,
                           void *tape) {
  double p = 1, sum = 0;
  for (int i = 0; i < out->size; ++i, p *= *(double *)tape) {
    sum += (i + 1) * p * out_bar->data[i];
    out_bar->data[i] = 0;
  }
  *x_bar += sum;
  free(tape);
}
static void powers_tangent(const double *x, const double *x_dot, struct view *out,
                           struct view *out_dot) {
  double p = 1;
  for (int i = 0; i < out->size; ++i) {
    out_dot->data[i] = (i + 1) * p * *x_dot;
    out->data[i] = p *= *x;
  }
}
__attribute__((used)) static void *__enzyme_register_gradient_powers[] = {
    (void *)powers, (void *)powers_augmented, (void *)powers_reverse};
__attribute__((used)) static void *__enzyme_register_derivative_powers[] = {(void *)powers,
                                                                            (void *)powers_tangent};

static double series(const double *x, int n) {
  double terms[4] = {x[0], 1, 1, 1}, sum = terms[0] * terms[0];
  struct view v = {terms, 4};
  for (int i = 0; i < n; ++i) {
    powers(&x[i], &v);
    sum += terms[0] * terms[3] + terms[1] * terms[2] * x[0];
  }
  return sum;
}
GRADIENT_CHECK(registered_elements, Double, series, In(double, 3), Int(3))

// Two addresses deep, in a context that is written as well: y = A x.
struct matrix {
  double *values;
  const int *columns;
  int rows;
};
struct context {
  struct matrix *a;
  double *x, *work;
};
static void apply(struct context *c, double *y) {
  for (int i = 0; i < c->a->rows; ++i)
    y[i] = c->a->values[i] * c->x[c->a->columns[i]];
  c->work[0] += y[0];
}
static void *apply_augmented(struct context *c, struct context *c_bar, double *y, double *y_bar) {
  double *tape = (double *)malloc(3 * sizeof *tape);
  memcpy(tape, c->x, 3 * sizeof *tape);
  apply(c, y);
  return tape;
}
static void apply_reverse(struct context *c, struct context *c_bar, double *y, double *y_bar,
                          void *tape) {
  const double *kept = (const double *)tape;
  y_bar[0] += c_bar->work[0];
  for (int i = 0; i < c->a->rows; ++i) {
    const int k = c->a->columns[i];
    c_bar->a->values[i] += y_bar[i] * kept[k];
    c_bar->x[k] += c->a->values[i] * y_bar[i];
    y_bar[i] = 0;
  }
  free(tape);
}
static void apply_tangent(struct context *c, const struct context *c_dot, double *y,
                          double *y_dot) {
  for (int i = 0; i < c->a->rows; ++i) {
    const int k = c->a->columns[i];
    y_dot[i] = c_dot->a->values[i] * c->x[k] + c->a->values[i] * c_dot->x[k];
  }
  apply(c, y);
  c_dot->work[0] += y_dot[0];
}
__attribute__((used)) static void *__enzyme_register_gradient_apply[] = {
    (void *)apply, (void *)apply_augmented, (void *)apply_reverse};
__attribute__((used)) static void *__enzyme_register_derivative_apply[] = {(void *)apply,
                                                                           (void *)apply_tangent};

static double applied(const double *q, int n) {
  double values[3] = {q[0], q[1], q[0] * q[1]}, x[3] = {1, 2, 3}, y[3] = {q[0], 1, 1}, work = q[1];
  const int columns[3] = {2, 0, 1};
  struct matrix a = {values, columns, n};
  struct context c = {&a, x, &work};
  double sum = work * work + y[0] * y[0];
  apply(&c, y);
  sum += y[0] * work;
  for (int i = 0; i < n; ++i)
    x[i] = y[i] * y[i];
  apply(&c, y);
  return sum + work * y[1] * y[2];
}
GRADIENT_CHECK(registered_context, Double, applied, In(double, 2), Int(3))

// Rows, of which the table itself is read only.
static void add_rows(double *const *rows, int n) {
  for (int i = 1; i < n; ++i)
    rows[i][0] += rows[i - 1][0] * rows[i - 1][0];
}
static void *add_rows_augmented(double *const *rows, double *const *rows_bar, int n) {
  double *tape = (double *)malloc(n * sizeof *tape);
  add_rows(rows, n);
  for (int i = 0; i < n; ++i)
    tape[i] = rows[i][0];
  return tape;
}
static void add_rows_reverse(double *const *rows, double *const *rows_bar, int n, void *tape) {
  for (int i = n - 1; i > 0; --i)
    rows_bar[i - 1][0] += 2 * ((double *)tape)[i - 1] * rows_bar[i][0];
  free(tape);
}
static void add_rows_tangent(double *const *rows, double *const *rows_dot, int n) {
  for (int i = 1; i < n; ++i) {
    rows_dot[i][0] += 2 * rows[i - 1][0] * rows_dot[i - 1][0];
    rows[i][0] += rows[i - 1][0] * rows[i - 1][0];
  }
}
__attribute__((used)) static void *__enzyme_register_gradient_rows[] = {
    (void *)add_rows, (void *)add_rows_augmented, (void *)add_rows_reverse};
__attribute__((used)) static void *__enzyme_register_derivative_rows[] = {(void *)add_rows,
                                                                          (void *)add_rows_tangent};

static double rows(const double *x, int n) {
  double a = x[0], b = x[1], c = 2, product = 1;
  double *table[3] = {&a, &b, &c};
  for (int i = 0; i < n; ++i) {
    add_rows(table, 3);
    product *= c * b;
  }
  return product;
}
GRADIENT_CHECK(registered_rows, Double, rows, In(double, 2), Int(2))

// A list, whose head holds a number that does not vary.
struct node {
  double value;
  struct node *next;
};
static double total(const struct node *head) {
  double sum = 0;
  for (; head; head = head->next)
    sum += head->value;
  return sum;
}
static double total_augmented(const struct node *head, struct node *head_bar) {
  return total(head);
}
static void total_reverse(const struct node *head, struct node *head_bar, double sum_bar) {
  for (; head_bar; head_bar = head_bar->next)
    head_bar->value += sum_bar;
}
static double total_tangent(const struct node *head, const struct node *head_dot) {
  return total(head_dot);
}
__attribute__((used)) static void *__enzyme_register_gradient_total[] = {
    (void *)total, (void *)total_augmented, (void *)total_reverse};
__attribute__((used)) static void *__enzyme_register_derivative_total[] = {(void *)total,
                                                                           (void *)total_tangent};

static double listed(const double *x) {
  struct node third = {x[1] * x[0], 0}, second = {x[1], &third}, first = {2, &second};
  const double sum = total(&first);
  second.value *= sum;
  return sum * total(&first);
}
GRADIENT_CHECK(registered_list, Double, listed, In(double, 2))

// Room for its work in a context that is constant.
struct table {
  const double *entries;
  double *work;
};
static double looked_up(const struct table *t, double x) {
  t->work[0] = t->entries[1];
  return t->entries[0] * x + t->work[0] * x * x;
}
static double looked_up_augmented(const struct table *t, struct table *t_bar, double x) {
  return looked_up(t, x);
}
static double looked_up_reverse(const struct table *t, struct table *t_bar, double x,
                                double r_bar) {
  return r_bar * (t->entries[0] + 2 * x * t->entries[1]);
}
static struct value_and_tangent {
  double value, tangent;
} looked_up_tangent(const struct table *t, struct table *t_dot, double x, double x_dot) {
  struct value_and_tangent r = {looked_up(t, x), x_dot * (t->entries[0] + 2 * x * t->entries[1])};
  return r;
}
__attribute__((used)) static void *__enzyme_register_gradient_looked_up[] = {
    (void *)looked_up, (void *)looked_up_augmented, (void *)looked_up_reverse};
__attribute__((used)) static void *__enzyme_register_derivative_looked_up[] = {
    (void *)looked_up, (void *)looked_up_tangent};

double __enzyme_autodiff_in_table(void *, ...);
double __enzyme_fwddiff_in_table(void *, ...);
extern int enzyme_const, enzyme_out, enzyme_dup;
static double in_table(const struct table *t, double x) { return looked_up(t, x) * x; }
static double slopes(const double *x) {
  double entries[2] = {2, 3}, work[1];
  struct table t = {entries, work};
  const double down =
      __enzyme_autodiff_in_table((void *)in_table, enzyme_const, &t, enzyme_out, 2.0);
  const double up =
      __enzyme_fwddiff_in_table((void *)in_table, enzyme_const, &t, enzyme_dup, 2.0, 1.0);
  return down == 44 && up == 44 ? x[0] * x[0] : NAN;
}
GRADIENT_CHECK(registered_constant_context, Double, slopes, In(double, 1))
