// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clauses of tasks: untied ones that may change threads half-way, order by other dependences,
// reductions that tasks take part in.
// Supports: `task` with `untied`, `final`, `mergeable`, `priority`, `affinity`, iterators
// Supports: `reduction` with the modifier `task`
#include "GradientCheck.h"

static void untied(const double *x, double *y, int n) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; i++)
#pragma omp task untied firstprivate(i)
    {
      double t = x[i] * x[i];
#pragma omp taskyield
      double u = t * x[0];
#pragma omp taskyield
      y[i] = t * u;
    }
#pragma omp taskwait
#pragma omp task untied
    {
      double t = 0;
#pragma omp task shared(t)
      t = x[0] * x[1];
#pragma omp taskwait
      for (int i = 0; i < n; i++)
        y[i] += t * x[i];
    }
  }
}

static void ordered(const double *x, double *y, int n) {
  double a = 0, b[4];
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; i++)
#pragma omp task depend(mutexinoutset : a) shared(a) priority(i) final(i > 4) mergeable
      a += x[i] * x[i];
    for (int i = 0; i < 4; i++)
#pragma omp task depend(out : b[i]) shared(b) affinity(b[i]) if (i % 2)
      b[i] = x[i] * x[i];
#pragma omp task depend(in : a) depend(iterator(k = 0 : 4), in : b[k])
    for (int i = 0; i < n; i++)
      y[i] = x[i] * a * (b[0] + b[1] * b[2] + b[3]);
  }
}

static double reduced(const double *x, int n) {
  double s = 0, t = 0, p = 1;
#pragma omp parallel reduction(task, + : s)
  {
#pragma omp single
    for (int i = 0; i < n; i++)
#pragma omp task in_reduction(+ : s)
      s += x[i] * x[i];
  }
#pragma omp parallel for reduction(task, + : t)
  for (int i = 0; i < n; i++) {
#pragma omp task in_reduction(+ : t)
    t += x[i] * x[0];
  }
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(* : p)
  for (int i = 0; i < n; i++)
#pragma omp task in_reduction(* : p)
    p *= x[i];
  return s * t * p;
}

static double loops(const double *x, double *y, unsigned long n) {
  double s = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop simd collapse(2)
    for (unsigned long i = 0; i < 3; i++)
      for (unsigned long j = 0; j < 4; j++)
        y[4 * i + j] = x[4 * i + j] * x[i];
#pragma omp taskloop reduction(+ : s) num_tasks(3)
    for (unsigned long i = 0; i < n; i++)
      s += x[i] * x[i];
  }
#pragma omp parallel masked taskloop
  for (unsigned long i = 0; i < n; i++)
    y[i] *= x[i];
  return s;
}

/// What clauses say is calculated. (libomp 19 with assertions ends programs in which the if clause
/// of an untied task is false.)
static double chosen(const double *x, int n) {
  if (n == 1)
    return x[0] * x[0];
  double a, b;
#pragma omp task untied if (n > 0) final(n < 3) shared(a)
  a = chosen(x, n / 2);
#pragma omp task untied final(n < 4) shared(b)
  b = chosen(x + n / 2, n - n / 2);
#pragma omp taskwait
  return a * x[0] + b;
}
static double calculated(const double *x, int n) {
  double s = 0;
#pragma omp parallel
#pragma omp single
  s = chosen(x, n);
  return s;
}

GRADIENT_CHECK(task_calculated, Double, calculated, In(double, 7), Int(7))
GRADIENT_CHECK(task_untied, Void, untied, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(task_ordered, Void, ordered, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-10, task_reduced, Double, reduced, In(double, 8), Int(8))
GRADIENT_CHECK(task_loops, Double, loops, In(double, 12), Out(double, 12), Size(12))
