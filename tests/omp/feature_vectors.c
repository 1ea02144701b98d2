// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector loops, transformed loops, and directives that choose, state and do nothing.
// Supports: `declare simd`, `declare variant`, `metadirective`, `tile`, `unroll`, `loop`, `assume`, `error`, `nothing`, `scope`
#pragma clang diagnostic ignored "-Wpass-failed" // not every simd loop is vectorised
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>

#pragma omp declare simd uniform(a) linear(i : 1) notinbranch simdlen(4)
static double scaled(const double *x, double a, int i) { return x[i] * a; }

#pragma omp declare simd inbranch
static double kinked(double v) { return v > 1 ? v * v : 0.5 * v * v + 0.5; }

static double functions(const double *x, double *y, int n, double a) {
  double s = 0;
#pragma omp simd
  for (int i = 0; i < n; i++)
    y[i] = scaled(x, a, i) * scaled(x, 2, i);
#pragma omp parallel for simd reduction(+ : s)
  for (int i = 0; i < n; i++)
    if (y[i] > 0.1)
      s += kinked(y[i]);
  return s;
}

static double clauses(const double *x, double *y, int n) {
  double t = 0, last = 0;
  int k = 0;
#pragma omp simd private(t) lastprivate(last) linear(k : 2) safelen(4) simdlen(2) nontemporal(y)
  for (int i = 0; i < n; i++) {
    t = x[i] * x[i];
    y[i] = t * x[k % n];
    last = t;
    k += 2;
  }
#pragma omp simd collapse(2) order(concurrent)
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      y[3 * i + j] += x[i] * x[j];
#pragma omp simd if (n > 100)
  for (int i = 0; i < n; i++)
    y[i] *= last;
#pragma omp for simd nowait
  for (int i = 0; i < n; i++)
    y[i] += x[i];
  return last * k;
}

static double orderedSimd(const double *x, double *y, int n) {
  double s = 0;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * x[i];
#pragma omp ordered simd
    s = s * 0.5 + y[i];
  }
  return s;
}

static void tiled(const double *x, double *y, int n, int m) {
#pragma omp tile sizes(2, 3)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[m * i + j] = x[m * i + j] * x[j];
#pragma omp parallel for
#pragma omp tile sizes(2, 2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[m * i + j] += y[m * i + j] * x[i];
#pragma omp parallel for collapse(2)
#pragma omp tile sizes(3, 2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[m * i + j] *= x[m * i + j];
}

static double unrolled(const double *x, double *y, int n) {
  double s = 0;
#pragma omp unroll full
  for (int i = 0; i < 4; i++)
    y[i] = x[i] * x[i];
#pragma omp unroll partial(2)
  for (int i = 4; i < n; i++)
    y[i] = x[i] * y[i - 4];
#pragma omp unroll
  for (int i = 0; i < n; i++)
    s += y[i];
#pragma omp parallel for reduction(+ : s)
#pragma omp unroll partial(4)
#pragma omp tile sizes(3)
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

static double plain(double v) { return v * v; }
__attribute__((used)) static double inParallel(double v) { return v * v * v; }
#pragma omp declare variant(inParallel) match(construct = {parallel})
static double chosen(double v) { return plain(v); }

static double variants(const double *x, double *y, int n) {
  double s = chosen(x[0]);
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    y[i] = chosen(x[i]);
    s += y[i];
  }
#pragma omp metadirective when(implementation = {vendor(llvm)} : parallel for) default(simd)
  for (int i = 0; i < n; i++)
    y[i] *= x[i];
#pragma omp metadirective when(user = {condition(0)} : parallel for) default(simd)
  for (int i = 0; i < n; i++)
    y[i] += x[0];
  return s;
}

static double statements(const double *x, double *y, int n) {
  double s = 0;
#pragma omp assume holds(n > 0) no_openmp
  s += x[0] * x[0];
#pragma omp nothing
  s *= 2;
#pragma omp error at(execution) severity(warning) message("this is said at run time")
#pragma omp parallel
  {
#pragma omp scope reduction(+ : s) nowait
    if (omp_get_thread_num() == 0)
      s += x[1] * x[1];
#pragma omp barrier
#pragma omp scope private(n)
    {
      n = 4;
#pragma omp for
      for (int i = 0; i < 4; i++)
        y[i] = x[i] * n;
    }
  }
  return s;
}

static double loopConstruct(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel
  {
#pragma omp loop bind(parallel) collapse(2)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        y[3 * i + j] = x[i] * x[3 * i + j];
#pragma omp loop reduction(+ : s)
    for (int i = 0; i < n; i++)
      s += x[i] * y[i];
#pragma omp single
#pragma omp loop bind(thread) order(concurrent)
    for (int i = 0; i < n; i++)
      y[i] += x[0];
#pragma omp loop bind(parallel)
    for (int i = 0; i < n; i++)
      y[i] *= x[i];
  }
  return s;
}

GRADIENT_CHECK(simd_functions, Double, functions, In(double, 11), Out(double, 11), Int(11),
               Scalar(double))
GRADIENT_CHECK(simd_clauses, Double, clauses, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(simd_ordered, Double, orderedSimd, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(loop_tiled, Void, tiled, In(double, 20), Out(double, 20), Int(4), Int(5))
GRADIENT_CHECK(loop_unrolled, Double, unrolled, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(choose_variants, Double, variants, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(say_statements, Double, statements, In(double, 4), Out(double, 4), Int(4))
GRADIENT_CHECK(loop_construct, Double, loopConstruct, In(double, 9), Out(double, 9), Int(9))
