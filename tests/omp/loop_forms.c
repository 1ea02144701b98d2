// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of loops and what clauses hand out of them.
// Supports: `loop`, `simd`, `declare simd`, `tile`, `unroll`, dependent bounds
// Supports: `lastprivate`, conditional and of arrays; `linear`; `masked` with `filter`, `scope`
#pragma clang diagnostic ignored "-Wpass-failed" // not every simd loop is vectorised
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>

static double loops(const double *x, double *y, int n) {
  double s = 0, t = 0;
#pragma omp parallel
#pragma omp loop bind(parallel)
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
#pragma omp parallel loop reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
#pragma omp teams loop reduction(+ : t)
  for (int i = 0; i < n; i++)
    t += sin(x[i]) * y[i];
#pragma omp loop bind(thread)
  for (int i = 0; i < n; i++)
    y[i] *= x[0];
#pragma omp parallel for order(concurrent)
  for (int i = 0; i < n; i++)
    y[i] += x[i];
  return s * t;
}

#pragma omp declare simd
static double cube(double a) { return a * a * sin(a); }

static double simd(const double *x, double *y, int n) {
  double s = 0;
  const double *p = x;
#pragma omp simd reduction(+ : s) simdlen(4)
  for (int i = 0; i < n; i++) {
    y[i] = cube(x[i]);
    s += y[i] * x[0];
  }
#pragma omp parallel for simd linear(p : 1) schedule(simd : static)
  for (int i = 0; i < n; i++) {
    y[i] += *p * x[i];
    p++;
  }
#pragma omp parallel for simd ordered
  for (int i = 0; i < n; i++) {
#pragma omp ordered simd
    y[i] *= x[i];
  }
  return s;
}

static void transformed(const double *x, double *y, int n) {
#pragma omp parallel for
#pragma omp tile sizes(4)
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
#pragma omp parallel for
#pragma omp unroll partial(3)
  for (int i = 0; i < n; i++)
    y[i] = y[i] * x[n - 1 - i];
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 4; i++)
    for (int j = 0; j <= i; j++)
      y[i * (i + 1) / 2 + j] += x[i] * x[j];
#pragma omp parallel for collapse(3) schedule(static, 2)
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 2; k++)
        y[4 * i + 2 * j + k] *= x[i] * x[j];
}

static double lasts(const double *x, double *y, int n) {
  double l[2] = {0, 0}, c = 0, of = 0;
  int k = 0;
#pragma omp parallel for lastprivate(l) linear(k : 1)
  for (int i = 0; i < n; i++) {
    l[0] = x[i] * x[i];
    l[1] = sin(x[k]);
    y[k] = l[0] * l[1];
    k++;
  }
#pragma omp parallel for lastprivate(conditional : c)
  for (int i = 0; i < n; i++)
    if (i < n / 2)
      c = x[i] * x[i];
#pragma omp parallel sections lastprivate(of)
  {
#pragma omp section
    of = x[0] * x[0];
#pragma omp section
    of = x[1] * x[1];
  }
  return l[0] * l[1] * c + of;
}

// The thread that the filter names may be missing in a small team.
static double chosen(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel
  {
#pragma omp masked filter(omp_get_num_threads() - 1)
    y[0] = x[0] * x[0];
#pragma omp masked
    for (int i = 1; i < n; i++)
      y[i] = x[i] * x[0];
#pragma omp barrier
#pragma omp scope reduction(+ : s)
    {
      if (omp_get_thread_num() == 0)
        s += y[0] * y[1];
    }
  }
  return s;
}

GRADIENT_CHECK(loop_constructs, Double, loops, In(double, 14), Out(double, 14), Int(14))
GRADIENT_CHECK(loop_simd, Double, simd, In(double, 14), Out(double, 14), Int(14))
GRADIENT_CHECK(loop_transformed, Void, transformed, In(double, 12), Out(double, 12), Int(12))
GRADIENT_CHECK(loop_lasts, Double, lasts, In(double, 12), Out(double, 12), Int(12))
GRADIENT_CHECK(loop_chosen, Double, chosen, In(double, 8), Out(double, 8), Int(8))
