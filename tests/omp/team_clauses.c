// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// if and num_threads decide the size of the team.
// Supports: clauses of `parallel`: `num_threads`, `if`, `private`, `firstprivate`, `allocate`
// Supports: `omp_alloc`, `omp_calloc`, `omp_aligned_alloc`, `omp_realloc`, `omp_free`, the directive `allocate`
#include "GradientCheck.h"
#include <omp.h>

static double clauses(const double *x, double *y, int n, int limit) {
#pragma omp parallel for if (n > limit)
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
  double sum = 0;
#pragma omp parallel for num_threads(3) reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += y[i] * x[n - 1 - i];
  return sum;
}

// Memory of an allocator for private variables, and of the library for a dependence.
static void allocated(const double *x, double *y, int n) {
  double t = 0, a = 0;
#pragma omp parallel for private(t) allocate(omp_default_mem_alloc : t)
  for (int i = 0; i < n; i++) {
    t = x[i] * x[i];
    y[i] = t * t;
  }
#pragma omp parallel
#pragma omp single
  {
    omp_depend_t d;
#pragma omp depobj(d) depend(inout : a)
#pragma omp task depend(depobj : d) shared(a)
    a += x[0] * x[0];
#pragma omp taskwait
#pragma omp depobj(d) destroy
    for (int i = 0; i < n; i++)
      y[i] *= x[i] * a;
  }
}

static double *take(int n) { return omp_alloc((size_t)n * sizeof(double), omp_default_mem_alloc); }

// Memory of a thread and of the team, taken and given back by the program.
static double allocators(const double *x, int n) {
  double *all = take(n), sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    double *own = omp_aligned_alloc(64, (size_t)n * sizeof(double), omp_default_mem_alloc);
    double *zeros = omp_calloc((size_t)n, sizeof(double), omp_default_mem_alloc);
    for (int i = 0; i < n; i++)
      own[i] = x[i] * x[0];
#pragma omp for
    for (int i = 0; i < n; i++) {
      zeros[i] += own[n - 1 - i] * x[i];
      all[i] = zeros[i] * own[i];
      sum += all[i];
    }
    omp_free(zeros, omp_null_allocator);
    omp_free(own, omp_default_mem_alloc);
  }
  all = omp_realloc(all, (size_t)(2 * n) * sizeof(double), omp_default_mem_alloc,
                    omp_default_mem_alloc);
  for (int i = 0; i < n; i++)
    all[n + i] = all[i] * x[i];
  all =
      omp_realloc(all, (size_t)(n + 1) * sizeof(double), omp_default_mem_alloc, omp_null_allocator);
  sum += all[n] * all[1];
  double squares[16];
#pragma omp allocate(squares) align(64)
  for (int i = 0; i < 16; i++)
    squares[i] = all[i % n] * all[(i + 1) % n];
  for (int i = 0; i < 16; i++)
    sum += squares[i] * squares[i];
  omp_free(all, omp_default_mem_alloc);
  return sum;
}

GRADIENT_CHECK(team_allocated, Void, allocated, In(double, 11), Out(double, 11), Int(11))
GRADIENT_CHECK(team_allocators, Double, allocators, In(double, 19), Int(19))
GRADIENT_CHECK(team_parallel, Double, clauses, In(double, 18), Out(double, 18), Int(18), Int(4))
GRADIENT_CHECK(team_serial, Double, clauses, In(double, 18), Out(double, 18), Int(18), Int(40))
