// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks: siblings, dependences, trees, clauses, loops, reductions.
// Supports: `task`, `taskwait`, `taskgroup`, `depend`, `taskloop`, task reductions
#include "GradientCheck.h"
#include <math.h>

static double siblings(const double *x) {
  double s = 0, t = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(s)
    s = x[0] * x[1];
#pragma omp task shared(t)
    t = sin(x[2]) * x[3];
#pragma omp taskwait
    s *= t;
  }
  return s * t;
}

static double chain(const double *x, int n) {
  double a = x[0], b = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 1; i < n; i++) {
#pragma omp task depend(inout : a) shared(a) firstprivate(i)
    a = a * 0.5 + x[i] * a;
#pragma omp task depend(in : a) depend(inout : b) shared(a, b)
    b += a * a;
  }
  return a * b;
}

static double tree(const double *x, int n) {
  if (n == 1)
    return x[0] * x[0];
  double low, high;
#pragma omp task shared(low) if (n > 2)
  low = tree(x, n / 2);
#pragma omp task shared(high) final(n < 4)
  high = tree(x + n / 2, n - n / 2);
#pragma omp taskwait
  return low * 0.7 + sin(high) * low;
}

static double grow(const double *x, int n) {
  double r = 0;
#pragma omp parallel
#pragma omp single
  r = tree(x, n);
  return r;
}

static double loops(const double *x, double *y, unsigned long n) {
  double s = 0, last = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(3) lastprivate(last)
    for (unsigned long i = 0; i < n; i++) {
      last = x[i] * x[i];
      y[i] = last * y[i];
    }
#pragma omp taskloop reduction(+ : s)
    for (unsigned long i = 0; i < n; i++)
      s += y[i] * x[i];
#pragma omp taskgroup task_reduction(+ : s)
    {
      for (int i = 0; i < 3; i++) {
#pragma omp task in_reduction(+ : s) firstprivate(i)
        s += x[i] * x[i + 1] * 0.1;
      }
    }
  }
  return s + last;
}

GRADIENT_CHECK(task_siblings, Double, siblings, In(double, 4))
GRADIENT_CHECK(task_chain, Double, chain, In(double, 9), Int(9))
GRADIENT_CHECK(task_tree, Double, grow, In(double, 11), Int(11))
GRADIENT_CHECK(task_loops, Double, loops, In(double, 10), InOut(double, 10), Size(10))
