// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hessian-vector products through loops, unknown trip counts, copies, in-place updates, heap memory
// and recursion, which the inner adjoint records.
#include "Hessian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { n = 6 };

static double hessian_loops(const double *x) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double t = x[i];
    for (int k = 0; k < 3; ++k)
      t = sin(t) * x[(i + 1) % n];
    sum += exp(x[i] * t);
  }
  return sum;
}
HESSIAN(hessian_loops)
HESSIAN_TWICE(hessian_loops)

// What the loop over the colours counts is kept beside numbers, at -O0 and -O1 as it is.
static double hessian_colours(const double *x) {
  double u[n] = {0}, sum = 0;
  const int count = x[0] > -10 ? n : n - 1; // not known to the compiler
  for (int sweep = 0; sweep < 3; ++sweep) {
    double change = 0;
    for (int colour = 0; colour < 2; ++colour)
      for (int i = 0; i < count; ++i) {
        if ((i & 1) != colour)
          continue;
        const double old = u[i], left = i ? u[i - 1] : 0, right = i < count - 1 ? u[i + 1] : 0;
        u[i] = (x[i] + 0.4 * left * x[0] + 0.4 * right) / (2 + 0.1 * x[i]);
        change += fabs(u[i] - old);
      }
    if (change < 1e-9)
      break;
  }
  for (int i = 0; i < count; ++i)
    sum += u[i] * u[i] * (i + 1);
  return sum;
}
HESSIAN(hessian_colours)

static double hessian_while(const double *x) {
  double sum = 0, step = x[0];
  while (sum < 5) {
    for (int i = 0; i < n; ++i)
      sum += step * x[i] * x[i];
    step = sqrt(step + x[1]);
  }
  return sum * step;
}
HESSIAN(hessian_while)
HESSIAN_TWICE(hessian_while)

static double hessian_memory(const double *x) {
  double local[n], copy[n], sum = 0;
  double *work = (double *)malloc(n * sizeof *work);
  memcpy(local, x, sizeof local);
  for (int step = 0; step < 3; ++step) {
    memcpy(copy, local, sizeof copy);
    for (int i = 0; i < n; ++i) {
      work[i] = copy[i] * copy[(i + 2) % n];
      local[i] += 0.3 * work[i] * local[i];
    }
  }
  for (int i = 0; i < n; ++i)
    sum += local[i] * log(work[i] + 2);
  free(work);
  return sum;
}
HESSIAN(hessian_memory)
HESSIAN_TWICE(hessian_memory)

static double hessian_power(const double *x, int k) {
  return k == 0 ? x[0] * x[1] : sin(x[k % n] * hessian_power(x, k - 1)) + x[k % n] * x[0];
}
static double hessian_recursion(const double *x) { return hessian_power(x, 4) * x[n - 1]; }
HESSIAN(hessian_recursion)
HESSIAN_TWICE(hessian_recursion)

// What qsort and realloc move.
static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double hessian_sorted(const double *x) {
  double *y = 0, sum = 0;
  int room = 0;
  for (int i = 0; i < n; ++i) {
    if (i == room)
      y = (double *)realloc(y, (room += 4) * sizeof *y);
    y[i] = x[i] * x[(5 * i + 1) % n];
  }
  qsort(y, n, sizeof *y, ascending);
  for (int i = 0; i < n; ++i)
    sum += y[i] * y[i] * (i + 1);
  free(y);
  return sum;
}
HESSIAN(hessian_sorted)
HESSIAN_TWICE(hessian_sorted)
SLOPE(hessian_sorted)

// The third derivative of a function of one variable, in four ways.
void *__enzyme_augmentfwd_number(void *, ...);
double __enzyme_reverse_number(void *, ...);
double __enzyme_autodiff_number(void *, ...);

static double wave(double x) {
  double a[4] = {x, 1, x * x, 2}, sum = x;
  for (int k = 0; sum < 9; ++k) {
    for (int i = 0; i < 3; ++i)
      a[i] = a[i] * 0.5 * a[i + 1] + sin(a[i] * x);
    sum += a[k % 3] * a[k % 3] + 0.5;
  }
  return sum * a[1];
}
static double wave_adjoint(double x) { return __enzyme_autodiff_number((void *)wave, x); }
static double wave_split(double x) {
  void *tape = __enzyme_augmentfwd_number((void *)wave, x);
  return __enzyme_reverse_number((void *)wave, x, 1.0, tape);
}
static double wave_tangent(double x) { return __enzyme_fwddiff_hessian((void *)wave, x, 1.0); }
static double second_of_adjoint(double x) {
  return __enzyme_autodiff_number((void *)wave_adjoint, x);
}
static double second_of_split(double x) { return __enzyme_autodiff_number((void *)wave_split, x); }
static double second_of_tangent(double x) {
  return __enzyme_fwddiff_hessian((void *)wave_tangent, x, 1.0);
}
static double third(double x) {
  return second_of_adjoint(x) + 2 * second_of_split(x) + 3 * second_of_tangent(x);
}
GRADIENT_CHECK(third, Double, third, ScalarRange(double, 0.6, 0.7))
