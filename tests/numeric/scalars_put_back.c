// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars of the caller's that are written beside arrays that loops read: results, counters, times.
// Arrays that hold the scalar, and what the memory is when the gradient is done.
// Supports: aliased arguments
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>

enum { n = 6 };
double __enzyme_fwddiff_run(void *, ...);
void __enzyme_autodiff_run(void *, ...);

static void to_result(const double *x, const double *y, double *out, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += x[i] * y[i] * x[i];
  *out = sum;
}
GRADIENT_CHECK(to_result, Void, to_result, In(double, n), In(double, n), Out(double, 1), Int(n))

/// The result lies among what is read, before and behind it.
static double among(double *x, int count) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < count; i++)
      sum += x[i] * x[i] * x[(i + 1) % count];
    *x = sum / (1 + sum * sum);
  }
  for (int i = 0; i < count; i++)
    sum *= 1 + x[i] * x[i];
  return sum;
}
GRADIENT_CHECK(among, Double, among, InOut(double, n), Int(n))

struct run {
  double *x, *mass, time;
  int *at, count, step;
};

static double steps(struct run *r, int last) {
  double sum = 0;
  for (r->step = 0; r->step < last; r->step++) {
    r->time += 0.25;
    for (int i = 0; i < r->count; i++)
      sum += r->mass[i] * r->x[r->at[i]] * r->x[i] * sin(r->time);
    if (sum > 100)
      r->time = sum / (1 + sum);
    for (int i = 0; i < r->count; i++)
      r->x[i] += 0.1 * r->mass[r->at[i]] * sum * r->time;
  }
  return sum + r->time;
}

static double never(double *x, double *out, int count, int flag) {
  double sum = 0;
  for (int i = 0; i < count; i++) {
    sum += x[i] * x[i];
    if (flag > i)
      *out = sum;
  }
  for (int i = 0; i < count; i++)
    sum *= x[i];
  return sum;
}

/// What the index array leads to is the step, or the array itself holds the time.
enum { Apart, StepIsIndex, TimeIsMass };
static int Kind;

static struct run make(double *x, double *mass, int *at) {
  struct run r = {x, mass, 0.5, at, n, 1};
  for (int i = 0; i < n; i++)
    at[i] = (5 * i + 2) % n;
  return r;
}

/// The number of elements that are one with a member of the object is one.
static void connect(struct run *r, struct run *bar) {
  if (Kind == StepIsIndex) {
    r->at = bar->at = &r->step;
    r->count = 1;
  } else if (Kind == TimeIsMass) {
    r->mass = &r->time;
    bar->mass = &bar->time;
    r->count = 1;
    r->at[0] = 0;
  }
}

static double run_primal(void *const *v, double *time, int *step) {
  int at[n];
  struct run r = make((double *)v[0], (double *)v[1], at), none = r;
  connect(&r, &none);
  const double sum = steps(&r, n) + never((double *)v[0], NULL, n, 0);
  *time = r.time;
  *step = r.step;
  return sum;
}
static double primal(void *const *v) {
  double time;
  int step;
  return run_primal(v, &time, &step);
}

static double both(struct run *r, double *x, int last) {
  return steps(r, last) + never(x, NULL, n, 0);
}

static double tangent(void *const *v, void *const *d) {
  int at[n];
  struct run r = make((double *)v[0], (double *)v[1], at);
  struct run dot = {(double *)d[0], (double *)d[1], 0, at, 0, 0};
  connect(&r, &dot);
  return __enzyme_fwddiff_run((void *)both, enzyme_dup, &r, &dot, enzyme_dup, (double *)v[0],
                              (double *)d[0], enzyme_const, n);
}

static void adjoint(void *const *v, void *const *d) {
  double x[n], mass[n], time;
  for (int i = 0; i < n; i++) {
    x[i] = ((double *)v[0])[i];
    mass[i] = ((double *)v[1])[i];
  }
  void *copies[] = {x, mass};
  int step, at[n];
  run_primal(copies, &time, &step);
  struct run r = make((double *)v[0], (double *)v[1], at);
  struct run bar = {(double *)d[0], (double *)d[1], 0, at, 0, 0};
  connect(&r, &bar);
  __enzyme_autodiff_run((void *)both, enzyme_dup, &r, &bar, enzyme_dup, (double *)v[0],
                        (double *)d[0], enzyme_const, n);
  if (r.time != time || r.step != step)
    *(double *)d[0] = NAN;
}

#define RUN(name, kind)                                                                            \
  static double name##_primal(void *const *v) {                                                    \
    Kind = kind;                                                                                   \
    return primal(v);                                                                              \
  }                                                                                                \
  static double name##_tangent(void *const *v, void *const *d) {                                   \
    Kind = kind;                                                                                   \
    return tangent(v, d);                                                                          \
  }                                                                                                \
  static void name##_adjoint(void *const *v, void *const *d) {                                     \
    Kind = kind;                                                                                   \
    adjoint(v, d);                                                                                 \
  }                                                                                                \
  GRADIENT_CHECK_CUSTOM(name, Double, name##_primal, name##_tangent, name##_adjoint,               \
                        InOut(double, n), In(double, n))

RUN(apart, Apart)
RUN(index_is_step, StepIsIndex)
RUN(mass_is_time, TimeIsMass)

/// What nobody wants has no memory, and need not be there to be put back.
static double wanted_primal(void *const *v) {
  double out;
  to_result((double *)v[0], (double *)v[1], &out, n);
  return out;
}
static double wanted_tangent(void *const *v, void *const *d) {
  double out, dot;
  __enzyme_fwddiff_run((void *)to_result, enzyme_dup, v[0], d[0], enzyme_dup, v[1], d[1],
                       enzyme_dup, &out, &dot, enzyme_const, n);
  return dot;
}
static void unwanted_adjoint(void *const *v, void *const *d) {
  double bar = 1;
  __enzyme_autodiff_run((void *)to_result, enzyme_dup, v[0], d[0], enzyme_dup, v[1], d[1],
                        enzyme_dupnoneed, (double *)NULL, &bar, enzyme_const, n);
}
GRADIENT_CHECK_CUSTOM(unwanted, Double, wanted_primal, wanted_tangent, unwanted_adjoint,
                      In(double, n), In(double, n))

/// What is given back through another pointer is not there any more.
__attribute__((noinline)) static double given_back(const double *x, int *counts, int last,
                                                   void *same) {
  double sum = 0;
  for (int k = 0; k < last; k++) {
    for (int i = 0; i < last; i++)
      sum += x[i] * x[i] * counts[i];
    counts[0] = k;
  }
  free(same);
  return sum;
}
enum { large = 1 << 20 }; // so that its pages are given back, too
static double given_back_primal(void *const *v) {
  int *counts = calloc(large, sizeof(int));
  return given_back((double *)v[0], counts, n, counts);
}
static double given_back_tangent(void *const *v, void *const *d) {
  int *counts = calloc(large, sizeof(int));
  return __enzyme_fwddiff_run((void *)given_back, enzyme_dup, v[0], d[0], enzyme_const, counts,
                              enzyme_const, n, enzyme_const, counts);
}
static void given_back_adjoint(void *const *v, void *const *d) {
  int *counts = calloc(large, sizeof(int));
  __enzyme_autodiff_run((void *)given_back, enzyme_dup, v[0], d[0], enzyme_const, counts,
                        enzyme_const, n, enzyme_const, counts);
}
GRADIENT_CHECK_CUSTOM(given_back, Double, given_back_primal, given_back_tangent, given_back_adjoint,
                      In(double, n))
