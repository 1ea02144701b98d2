// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What chooses code: context selectors, variants, metadirectives; what says something about it.
// Supports: `declare variant` by context, `begin declare variant`, `requires`, `assumes`, `order(reproducible: concurrent)`
// A variant is not named elsewhere.
#pragma clang diagnostic ignored "-Wunneeded-internal-declaration"
#pragma clang diagnostic ignored "-Wunused-function"
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

static double base1(double a) { return a; }
static double par1(double a) { return a * a; }
static double simd1(double a) { return a * a * a; }
#pragma omp declare variant(par1) match(construct = {parallel})
#pragma omp declare variant(simd1) match(construct = {target})
static double pick(double a) { return base1(a); }
static double nvptx1(double a) { return 100 * a; }
#pragma omp declare variant(nvptx1) match(device = {kind(nohost), arch(nvptx)})
#pragma omp declare variant(par1) match(implementation = {vendor(llvm)}, user = {condition(1)})
static double pick2(double a) { return a; }
static double variants(const double *x, double *y, int n) {
  double s = pick(x[0]);
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    s += pick(x[i]);
    y[i] = pick2(x[i]);
  }
  return s;
}
GRADIENT_CHECK(ctl_variants, Double, variants, In(double, 9), Out(double, 9), Int(9))

static double begin_variants(double a) { return a; }
#pragma omp begin declare variant match(device = {kind(cpu)})
static double begin_variants(double a) { return sin(a) * a; }
#pragma omp end declare variant
static double begun(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = begin_variants(x[i]);
  for (int i = 0; i < n; i++)
    s += y[i] * x[i];
  return s;
}
GRADIENT_CHECK(ctl_begun, Double, begun, In(double, 9), Out(double, 9), Int(9))

static double meta(const double *x, double *y, int n) {
  double s = 0;
#pragma omp metadirective when(                                                                    \
        user = {condition(n > 100)} : parallel for reduction(+ : s) schedule(dynamic))             \
        when(device = {kind(nohost)} : target teams distribute parallel for reduction(             \
                     + : s)) default(parallel for reduction(+ : s) num_threads(2))
  for (int i = 0; i < n; i++)
    s += x[i] * x[n - 1 - i];
#pragma omp metadirective when(implementation = {vendor(llvm)} : parallel)
  {
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = x[i] * s;
  }
  return s * y[1];
}
GRADIENT_CHECK(ctl_meta, Double, meta, In(double, 9), Out(double, 9), Int(9))

#pragma omp requires atomic_default_mem_order(seq_cst)
#pragma omp assumes no_openmp_routines
static double misc(const double *x, double *y, int n) {
  double s = 0;
#pragma omp assume no_openmp_routines holds(n > 2) absent(task)
  {
#pragma omp parallel for simd reduction(+ : s) if (simd : n > 3) order(reproducible : concurrent)
    for (int i = 0; i < n; i++)
      s += x[i] * x[i];
  }

#pragma omp nothing
  if (n < 0) {
#pragma omp error at(execution) severity(warning) message("negative")
  }
#pragma omp parallel
  {
#pragma omp scope reduction(* : s) nowait
    {
      if (omp_get_thread_num() == 0)
        s *= x[1];
    }
#pragma omp barrier
#pragma omp masked filter(omp_get_num_threads() - 1)
    y[0] = s * x[0];
#pragma omp single
    for (int i = 1; i < n; i++)
      y[i] = x[i];
  }
  return s;
}
GRADIENT_CHECK(ctl_misc, Double, misc, In(double, 9), Out(double, 9), Int(9))
