// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Supports: derivatives of derivatives of regions: tangents of adjoints, tangents and adjoints of tangents
//
// Hessian-vector products through parallel regions: what threads share, atomic updates, critical
// sections and locks, reductions, tasks, heap memory of threads, regions in loops, nested regions.
#include "Hessian.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

enum { n = 12 };

static double hessian_stencil(const double *x) {
  double y[n], sum = 0;
  y[0] = x[0];
  y[n - 1] = x[n - 1];
  for (int step = 0; step < 3; ++step) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i)
      y[i] = x[i - 1] * sin(x[i] * x[i + 1]);
    for (int i = 0; i < n; ++i)
      sum += y[i] * y[i] * x[(i + step) % n];
  }
  return sum;
}
HESSIAN(hessian_stencil)
SLOPE(hessian_stencil)

static double hessian_reductions(const double *x) {
  double sum = 0, product = 1, most = 0, factor = x[0] * x[1];
#pragma omp parallel for reduction(+ : sum) reduction(* : product) reduction(max : most)           \
    schedule(dynamic, 2) firstprivate(factor)
  for (int i = 0; i < n; ++i) {
    double t = 0;
    for (int j = 0; j < n; ++j)
      t += 0.1 * x[j] * x[i] * factor;
    sum += t * t;
    product *= 0.5 + x[i];
    most = fmax(most, x[i] * x[(i + 5) % n]);
  }
  return (sum + product) * most;
}
HESSIAN(hessian_reductions)

static double hessian_exclusion(const double *x) {
  double sum = 0, chain = 1;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
      double t = x[i] * x[(5 * i) % n];
#pragma omp atomic
      sum += t * t;
#pragma omp critical
      chain *= 1 + 0.3 * t;
    }
#pragma omp for
    for (int i = 0; i < n; ++i) {
      omp_set_lock(&lock);
      sum += 0.1 * chain * x[i];
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  return sum * chain;
}
HESSIAN(hessian_exclusion)

static double tree(const double *x, int from, int to) {
  if (to - from == 1)
    return x[from] * x[from] * x[(from + 1) % n];
  double left, right;
#pragma omp task shared(left)
  left = tree(x, from, (from + to) / 2);
#pragma omp task shared(right)
  right = tree(x, (from + to) / 2, to);
#pragma omp taskwait
  return left * right + sin(left) + right;
}
static double hessian_tasks(const double *x) {
  double result = 0;
#pragma omp parallel
#pragma omp single
  result = tree(x, 0, n);
  return result;
}
HESSIAN(hessian_tasks)

/// How often the inner loop runs is kept beside the numbers of the matrix, which the task copies.
static double hessian_task_nests(const double *x) {
  double a[36], sum = 0;
  for (int i = 0; i < 36; i++)
    a[i] = x[i % n] * x[i % 5];
#pragma omp parallel
#pragma omp masked
  for (int k = 0; k < 3; k++)
#pragma omp task depend(inout : a[0])
    for (int i = 1; i < 2 * k + 2; i++)
      for (int j = 1; j < 2 * k + 2; j++)
        a[i * 6 + j] -= a[i * 6] * a[j];
  for (int i = 0; i < 6; i++)
    sum += a[i * 7];
  return sum;
}
HESSIAN(hessian_task_nests)

static double own[2];
#pragma omp threadprivate(own)

/// The atomic sums are forward code of the gradient that is asked for as such, too, where a thread
/// that is alone adds plainly.
static double hessian_scattered(const double *x) {
  double a[n], sum = 0;
  int place[n];
  for (int i = 0; i < n; i++) {
    a[i] = x[i];
    place[i] = 5 * i % n;
  }
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < n; i++) {
    double part = x[i] * x[0];
#pragma omp atomic
    a[place[i]] += part;
  }
#pragma omp parallel num_threads(3)
  own[0] = own[1] = 0;
#pragma omp parallel for schedule(static) num_threads(3)
  for (int i = 0; i < n; i++)
    own[i % 2] += a[i / 2] * x[i];
#pragma omp parallel num_threads(3)
#pragma omp critical
  sum += own[0] + own[1];
  for (int i = 0; i < n; i++)
    sum += a[i] * a[i] * x[i];
  return sum;
}
HESSIAN(hessian_scattered)

static double hessian_storage(const double *x) {
  double *y = (double *)malloc(n * sizeof *y), sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    double *own = (double *)malloc(n * sizeof *own);
#pragma omp for
    for (int i = 0; i < n; ++i)
      y[i] = x[i] * x[i];
#pragma omp for
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        own[j] = y[i] * x[j];
      double limit = 1;
      while (limit < 30)
        for (int j = 0; j < n; ++j)
          limit += own[j] * own[(j + 1) % n];
      sum += limit;
    }
    free(own);
  }
  free(y);
  return sum;
}
HESSIAN(hessian_storage)

static double row(const double *x, int i) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int j = 0; j < n; ++j)
    sum += x[i] * sin(x[i] * x[j]);
  return sum;
}
static double hessian_nested_regions(const double *x) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
  for (int i = 0; i < n; ++i)
    sum += row(x, i);
  return sum;
}
HESSIAN(hessian_nested_regions)

// What is added to has no atomic instruction.
static double hessian_wide(const double *x) {
  long double t = x[0] * x[1], sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    long double v = x[i] * t;
    sum += v * v * (1 + t * x[i]);
  }
  return sum;
}
HESSIAN(hessian_wide)

// The third derivative: u^T H(x) v of a Hessian, by a tangent of an adjoint and by tangents alone.
double __enzyme_fwddiff_third(void *, ...);
void __enzyme_autodiff_third(void *, ...);
static const double u[n] = {0.3, -1, 0.5, 2}, v[n] = {1, 0.2, 0, -0.7, 0.4};

static double bend(const double *x) {
  double unused[n], h[n] = {0}, sum = 0;
  __enzyme_fwddiff_hessian_void((void *)hessian_reductions_gradient, enzyme_dup, x, v,
                                enzyme_dupnoneed, unused, h);
  for (int i = 0; i < n; ++i)
    sum += u[i] * h[i];
  return sum;
}
static double along_v(const double *x) {
  return __enzyme_fwddiff_third((void *)hessian_reductions, enzyme_dup, x, v);
}
static double bend_by_tangents(const double *x) {
  return __enzyme_fwddiff_third((void *)along_v, enzyme_dup, x, u);
}
static double third_primal(void *const *values) { return bend((const double *)values[0]); }
static double third_tangent(void *const *values, void *const *shadows) {
  return __enzyme_fwddiff_third((void *)bend, enzyme_dup, (double *)values[0],
                                (double *)shadows[0]);
}
static void third_adjoint(void *const *values, void *const *shadows) {
  __enzyme_autodiff_third((void *)bend_by_tangents, enzyme_dup, (double *)values[0],
                          (double *)shadows[0]);
}
GRADIENT_CHECK_CUSTOM(third, Double, third_primal, third_tangent, third_adjoint, In(double, n))
