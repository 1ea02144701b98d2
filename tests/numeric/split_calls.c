// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The adjoint in two calls: between them other tapes are open, are closed in another order, and
// what the function has read is overwritten. The second one is made several times.
#include "GradientCheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern int enzyme_tape, enzyme_allocated, enzyme_nofree, enzyme_primal_return;

struct tape_and_result {
  void *tape;
  double result;
};
void *__enzyme_augmentfwd_tape(void *, ...);
struct tape_and_result __enzyme_augmentfwd_both(void *, ...);
double __enzyme_augmentfwd_result(void *, ...);
unsigned long __enzyme_augmentsize_split(void *, ...);
double __enzyme_reverse_number(void *, ...);
void __enzyme_reverse_split(void *, ...);
double __enzyme_fwddiff_split(void *, ...);

enum { n = 5 };

static double tower(double x, int k) { return k ? sin(x * tower(x, k - 1)) : x; }

/// Loops, recursion, heap memory, an array in place.
static double march(double *x, int steps, double k) {
  double *work = (double *)calloc(n, sizeof *work), sum = 0;
  int *next = (int *)malloc(n * sizeof *next);
  for (int i = 0; i < n; ++i)
    next[i] = (i + steps) % n;
  for (int step = 0; step < steps; ++step)
    for (int i = 0; i < n; ++i) {
      work[i] = x[i] * x[next[i]];
      x[i] = k * tower(x[i], 2) + 0.1 * work[(i + 2) % n] * (step > 0);
    }
  double limit = 0;
  for (int i = 0; limit < 2; i = (i + 1) % n)
    limit += fabs(x[i]) + 0.1;
  for (int i = 0; i < n; ++i)
    sum += exp(-x[i]) * work[i];
  free(next);
  free(work);
  return sum * limit;
}

static double split_primal(void *const *v) {
  return march((double *)v[0], 3, *(const double *)v[1]);
}
static double split_tangent(void *const *v, void *const *d) {
  return __enzyme_fwddiff_split((void *)march, enzyme_dup, (double *)v[0], (double *)d[0],
                                enzyme_const, 3, enzyme_dup, *(double *)v[1], *(double *)d[1]);
}
static int *taken_meanwhile;
static void split_adjoint(void *const *v, void *const *d) {
  double *x = (double *)v[0], *x_bar = (double *)d[0], k = *(double *)v[1];
  double other[n] = {1, 2, 3, 4, 5}, other_bar[n] = {0}, after[n], seeds[n];
  void *first = __enzyme_augmentfwd_tape((void *)march, enzyme_dup, other, other_bar, enzyme_const,
                                         2, enzyme_out, k);
  struct tape_and_result mine =
      __enzyme_augmentfwd_both((void *)march, enzyme_dup, x, x_bar, enzyme_const, 3, enzyme_out, k);
  taken_meanwhile = (int *)calloc(n, sizeof *taken_meanwhile); // the place of what was freed
  memcpy(after, x, sizeof after);
  memset(x, 0, sizeof after);
  __enzyme_reverse_split((void *)march, enzyme_dup, other, other_bar, enzyme_const, 2, enzyme_out,
                         k, 1.0, first);
  memcpy(seeds, x_bar, sizeof seeds);
  for (int i = 0; i < 2; ++i) { // what an earlier sweep has left must not show in a later one
    __enzyme_reverse_number((void *)march, enzyme_nofree, enzyme_dup, x, x_bar, enzyme_const, 3,
                            enzyme_out, k, 2.0, enzyme_tape, mine.tape);
    memcpy(x_bar, seeds, sizeof seeds);
  }
  *(double *)d[1] = __enzyme_reverse_number((void *)march, enzyme_dup, x, x_bar, enzyme_const, 3,
                                            enzyme_out, k, 1.0, enzyme_tape, mine.tape);
  memcpy(x, after, sizeof after);
  free(taken_meanwhile);
  if (!(mine.result == mine.result))
    x_bar[0] = mine.result;
}
GRADIENT_CHECK_CUSTOM(split_march, Double, split_primal, split_tangent, split_adjoint,
                      InOut(double, n), Scalar(double))

/// What the first call returns leads to memory, whose adjoint the second one starts from.
struct node {
  double value;
  struct node *next;
};
struct tape_and_list {
  void *tape;
  struct node *list, *shadow;
};
struct tape_and_list __enzyme_augmentfwd_list(void *, ...);
static struct node *listed(const double *x, double k) {
  struct node *first = 0;
  for (int i = 0; i < n; ++i) {
    struct node *made = (struct node *)calloc(1, sizeof *made);
    made->value += k * x[i] * (first ? first->value : x[0]);
    made->next = first;
    first = made;
  }
  return first;
}
static double taken(struct node *list) { // releases the list
  double sum = 0;
  for (int i = 1; list; ++i) {
    struct node *next = list->next;
    sum += i * list->value * list->value;
    free(list);
    list = next;
  }
  return sum;
}
static double listed_and_taken(const double *x, double k) { return taken(listed(x, k)); }
static double list_primal(void *const *v) {
  return listed_and_taken((const double *)v[0], *(const double *)v[1]);
}
static double list_tangent(void *const *v, void *const *d) {
  return __enzyme_fwddiff_split((void *)listed_and_taken, (double *)v[0], (double *)d[0],
                                *(double *)v[1], *(double *)d[1]);
}
static void list_adjoint(void *const *v, void *const *d) {
  double *x = (double *)v[0], *x_bar = (double *)d[0], before[n];
  const double k = *(const double *)v[1];
  struct tape_and_list made =
      __enzyme_augmentfwd_list((void *)listed, enzyme_dup, x, x_bar, enzyme_out, k);
  memcpy(before, x_bar, sizeof before);
  for (int again = 1; again >= 0; --again) {
    int i = 1;
    memcpy(x_bar, before, sizeof before);
    for (struct node *p = made.list, *s = made.shadow; p; p = p->next, s = s->next)
      s->value = 2 * i++ * p->value;
    *(double *)d[1] = again ? __enzyme_reverse_number((void *)listed, enzyme_nofree, enzyme_dup, x,
                                                      x_bar, enzyme_out, k, made.tape)
                            : __enzyme_reverse_number((void *)listed, enzyme_dup, x, x_bar,
                                                      enzyme_out, k, made.tape);
  }
  taken(made.list);
  taken(made.shadow);
}
GRADIENT_CHECK_CUSTOM(split_list, Double, list_primal, list_tangent, list_adjoint, In(double, n),
                      Scalar(double))

/// Memory for the tape from the caller; a seed other than one; nothing returned.
static double quotient(const double *x, const double *y) { return x[0] * y[1] / (x[1] + y[0]); }
static double memory_primal(void *const *v) {
  return 2 * quotient((const double *)v[0], (const double *)v[1]);
}
static double memory_tangent(void *const *v, void *const *d) {
  return 2 * __enzyme_fwddiff_split((void *)quotient, (double *)v[0], (double *)d[0],
                                    (double *)v[1], (double *)d[1]);
}
static void memory_adjoint(void *const *v, void *const *d) {
  const unsigned long size = __enzyme_augmentsize_split((void *)quotient, enzyme_dup, enzyme_dup);
  void *tape = malloc(size);
  const double result = __enzyme_augmentfwd_result(
      (void *)quotient, enzyme_allocated, size, enzyme_tape, tape, enzyme_dup, (double *)v[0],
      (double *)d[0], enzyme_dup, (double *)v[1], (double *)d[1]);
  __enzyme_reverse_split((void *)quotient, enzyme_allocated, size, enzyme_tape, tape, enzyme_dup,
                         (double *)v[0], (double *)d[0], enzyme_dup, (double *)v[1], (double *)d[1],
                         result == 0 ? 0.0 : 2.0);
  free(tape);
}
GRADIENT_CHECK_CUSTOM(split_memory, Double, memory_primal, memory_tangent, memory_adjoint,
                      In(double, 2), In(double, 2))

/// Three directions on one tape, each with an adjoint of the result of its own.
extern int enzyme_width;
struct three {
  double first, second, third;
};
struct three __enzyme_reverse_three(void *, ...);
static void wide_adjoint(void *const *v, void *const *d) {
  double *x = (double *)v[0], *x_bar = (double *)d[0], k = *(double *)v[1], after[n];
  double twice[n], none[n] = {0};
  for (int i = 0; i < n; ++i)
    twice[i] = 2 * x_bar[i];
  void *tape = __enzyme_augmentfwd_tape((void *)march, enzyme_width, 3, enzyme_dup, x, x_bar, twice,
                                        none, enzyme_const, 3, enzyme_out, k);
  memcpy(after, x, sizeof after);
  memset(x, 0, sizeof after);
  const struct three k_bar =
      __enzyme_reverse_three((void *)march, enzyme_width, 3, enzyme_dup, x, x_bar, twice, none,
                             enzyme_const, 3, enzyme_out, k, 1.0, 2.0, 0.0, tape);
  memcpy(x, after, sizeof after);
  double wrong = fabs(k_bar.second - 2 * k_bar.first) + fabs(k_bar.third);
  for (int i = 0; i < n; ++i)
    wrong += fabs(twice[i] - 2 * x_bar[i]) + fabs(none[i]);
  *(double *)d[1] = wrong < 1e-12 * (1 + fabs(k_bar.first)) ? k_bar.first : NAN;
}
GRADIENT_CHECK_CUSTOM(split_wide, Double, split_primal, split_tangent, wide_adjoint,
                      InOut(double, n), Scalar(double))

// What the function finds behind a pointer of the program's changes between the calls.
static double *factors;

static void set_factors(double step) {
  if (!factors)
    factors = (double *)malloc(n * sizeof *factors);
  for (int i = 0; i < n; ++i)
    factors[i] = 1 + step * i;
}

static double scaled(const double *x) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += factors[i] * x[i] * x[(i + 1) % n];
  return sum;
}
static double scaled_primal(void *const *v) {
  set_factors(0.5);
  return scaled((const double *)v[0]);
}
static double scaled_tangent(void *const *v, void *const *d) {
  set_factors(0.5);
  return __enzyme_fwddiff_split((void *)scaled, enzyme_dup, (double *)v[0], (double *)d[0]);
}
static void scaled_adjoint(void *const *v, void *const *d) {
  double *x = (double *)v[0], *x_bar = (double *)d[0];
  set_factors(0.5);
  void *tape = __enzyme_augmentfwd_tape((void *)scaled, enzyme_dup, x, x_bar);
  set_factors(-2);
  __enzyme_reverse_split((void *)scaled, enzyme_dup, x, x_bar, 1.0, tape);
}
GRADIENT_CHECK_CUSTOM(split_factors, Double, scaled_primal, scaled_tangent, scaled_adjoint,
                      In(double, n))
