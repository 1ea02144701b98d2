// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts that the user declares: a function that stands for one of libm, functions and a variable
// without derivatives, allocation functions of the program's own, numbers without derivatives.
#include "GradientCheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// log2 of the exponent's bits and a series for the rest: not differentiable as written.
static double log_by_bits(double x) {
  unsigned long bits;
  memcpy(&bits, &x, 8);
  long exponent = (long)(bits >> 52) - 1023;
  bits = (bits & 0xffffffffffffful) | 0x3ff0000000000000ul;
  double m;
  memcpy(&m, &bits, 8);
  double z = (m - 1) / (m + 1), sum = 0, power = z;
  for (int k = 1; k < 60; k += 2) {
    sum += power / k;
    power *= z * z;
  }
  return 2 * sum + (double)exponent * 0.693147180559945309417232;
}
__attribute__((used)) static void *__enzyme_function_like_bits[2] = {(void *)log_by_bits,
                                                                     (void *)"log"};
static float my_atan2f(float y, float x) { return atan2f(y, x); }
__attribute__((used)) static struct {
  float (*function)(float, float);
  const char *name;
} __enzyme_function_like_atan = {my_atan2f, "atan2f"};

static double stands_for(const double *x, double y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += log_by_bits(x[i] * y) * x[i];
  return sum;
}
GRADIENT_CHECK(declared_like, Double, stands_for, In(double, 6), Scalar(double), Int(6))

static float angle(float y, float x) { return my_atan2f(y * y, x) * x; }
GRADIENT_CHECK(declared_like_float, Float, angle, Scalar(float), Scalar(float))

// What such a function changes is read again by the reverse sweep as it was.
static int declared_steps;
static int *declared_rows[2];
static void count_step(double x, int *row) {
  declared_steps += x > 0;
  declared_rows[declared_steps % 2] = row;
  for (int i = 0; i < 4; ++i)
    row[i] += i;
}
static void forget_steps(void) { declared_steps = 0; }
__attribute__((used)) static void *__enzyme_inactivefn_steps[] = {(void *)count_step,
                                                                  (void *)forget_steps};
static double inactive_function(const double *x, int n) {
  int row[4] = {1, 2, 3, 4};
  double product = 1;
  forget_steps();
  for (int i = 0; i < n; ++i) {
    product *= x[i] * row[i % 4] * (1 + declared_steps % 3);
    count_step(x[i], row);
    product += x[i] * declared_rows[declared_steps % 2][1];
  }
  return product;
}
GRADIENT_CHECK(declared_inactive, Double, inactive_function, In(double, 6), Int(6))

static double declared_largest;
__attribute__((used)) static void *__enzyme_inactive_global_largest[] = {(void *)&declared_largest};
__attribute__((noinline)) static void note_largest(const double *x, int n) {
  declared_largest = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > declared_largest)
      declared_largest = x[i];
}
static double inactive_variable(const double *x, double *y, int n) {
  note_largest(x, n);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    y[i] = x[i] * x[i];
    sum += y[i] * (declared_largest > 10.0 ? 2.0 : 3.0);
  }
  return sum;
}
GRADIENT_CHECK(declared_variable, Double, inactive_variable, In(double, 6), Out(double, 6), Int(6))

// A pool of the program's own, with a header in front of each object.
static int declared_live;
static void *pool_take(int kind, unsigned long bytes) {
  char *p = (char *)malloc(bytes + 16);
  *(int *)p = kind;
  ++declared_live;
  return p + 16;
}
static void pool_give(void *p) {
  if (!p)
    return;
  --declared_live;
  free((char *)p - 16);
}
__attribute__((used)) static void *__enzyme_allocation_like_pool[4] = {
    (void *)pool_take, (void *)1, (void *)"-1", (void *)pool_give};
__attribute__((used)) static void *__enzyme_nofree_pool[] = {(void *)pool_take};

static double pooled(const double *x, int n) {
  double sum = 0;
  for (int step = 1; step < 4; ++step) {
    double *work = (double *)pool_take(step, n * sizeof *work);
    for (int i = 0; i < n; ++i)
      work[i] = x[i] * x[(i + step) % n];
    for (int i = 0; i < n; ++i)
      sum += work[i] * work[n - 1 - i];
    pool_give(work);
  }
  return declared_live == 0 || sum < 0 ? sum : sum + 0.0;
}
GRADIENT_CHECK(declared_allocation, Double, pooled, In(double, 6), Int(6))

// It is told what the allocation was told.
static int declared_told;
static void *shelf_take(unsigned long bytes, unsigned char shelf) {
  char *p = (char *)malloc(bytes + 16);
  *(unsigned long *)p = bytes + shelf;
  ++declared_told;
  return p + 16;
}
static void shelf_give(void *p, unsigned char shelf, unsigned long bytes) {
  char *block = (char *)p - 16;
  if (*(unsigned long *)block != bytes + shelf)
    abort();
  --declared_told;
  free(block);
}
__attribute__((used)) static void *__enzyme_allocation_like_shelf[4] = {
    (void *)shelf_take, (void *)0, (void *)"-1,1,0", (void *)shelf_give};

static double shelved(const double *x, int n) {
  double sum = 0, *kept = (double *)shelf_take(sizeof *kept, 200);
  *kept = 1;
  for (int i = 0; i < n; ++i) {
    double *work = (double *)shelf_take((i + 1) * sizeof *work, i);
    for (int k = 0; k <= i; ++k)
      work[k] = x[i] * x[k] * *kept;
    *kept = work[i / 2];
    shelf_give(kept, 200, sizeof *kept);
    kept = (double *)shelf_take(sizeof *kept, 200);
    *kept = sum += work[0] * work[i];
    shelf_give(work, i, (i + 1) * sizeof *work);
  }
  shelf_give(kept, 200, sizeof *kept);
  return declared_told == 0 || sum < 0 ? sum : sum + 0.0;
}
GRADIENT_CHECK(declared_allocation_told, Double, shelved, In(double, 4), Int(4))

double __enzyme_fwddiff_keep(void *, ...);
double __enzyme_autodiff_keep(void *, ...);

// It may look at active memory. What it keeps of it has no derivative.
static double watched_last;
__attribute__((used)) static void *__enzyme_inactive_global_watched[] = {&watched_last};
static void watch(const double *x, int n) {
  for (int i = 0; i < n; ++i)
    declared_steps += x[i] > 0;
}
__attribute__((used)) static void *__enzyme_inactivefn_watch[] = {(void *)watch};
static double watched(double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    x[i] *= x[i];
    watch(x, n);
    sum += x[i] * x[(i + 1) % n];
  }
  return sum;
}
GRADIENT_CHECK(declared_watch, Double, watched, InOut(double, 6), Int(6))

// (x stored) x, with the stored factor taken for constant: d = stored.
static double keep_and_use(double x) {
  watched_last = x;
  return watched_last * x;
}
static double keep_primal(void *const *v) {
  watched_last = 0.75;
  return watched_last * *(const double *)v[0];
}
static double keep_tangent(void *const *v, void *const *d) {
  const double x = *(const double *)v[0];
  return __enzyme_fwddiff_keep((void *)keep_and_use, x, *(const double *)d[0]) * 0.75 / x;
}
static void keep_adjoint(void *const *v, void *const *d) {
  const double x = *(const double *)v[0];
  *(double *)d[0] = __enzyme_autodiff_keep((void *)keep_and_use, x) * 0.75 / x;
}
GRADIENT_CHECK_CUSTOM(declared_kept, Double, keep_primal, keep_tangent, keep_adjoint,
                      Scalar(double))

// A number without its derivative; and a function of libm, by its name.
double __enzyme_ignore_derivatives(double);
float __enzyme_ignore_derivatives_float(float);
static double ignored_and_used(double x) {
  return __enzyme_ignore_derivatives(x) * x + __enzyme_ignore_derivatives_float((float)x);
}
static double ignored_primal(void *const *v) { return 0.75 * *(const double *)v[0] + exp(0.25); }
static double ignored_tangent(void *const *v, void *const *d) {
  const double x = *(const double *)v[0];
  return __enzyme_fwddiff_keep((void *)ignored_and_used, x, *(const double *)d[0]) * 0.75 / x *
         __enzyme_fwddiff_keep((void *)exp, x, 1.0) / exp(x);
}
static void ignored_adjoint(void *const *v, void *const *d) {
  const double x = *(const double *)v[0];
  *(double *)d[0] = __enzyme_autodiff_keep((void *)ignored_and_used, x) * 0.75 / x *
                    __enzyme_autodiff_keep((void *)exp, x) / exp(x);
}
GRADIENT_CHECK_CUSTOM(declared_ignored, Double, ignored_primal, ignored_tangent, ignored_adjoint,
                      Scalar(double))
