// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of tasks, events that complete tasks, and groups of tasks that are cancelled.
// Supports: `taskloop` with every clause, `detach`, `cancel taskgroup`
#pragma clang diagnostic ignored "-Wsign-compare" // the bounds of a taskloop are unsigned
#pragma clang diagnostic ignored "-Wpass-failed"  // not every simd loop is vectorised
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>

static double loops(const double *x, double *y, int n) {
  double a = x[0], last = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(3) firstprivate(a)
    for (int i = 0; i < n; i++) {
      y[i] = x[i] * a;
    }
#pragma omp taskloop num_tasks(4) lastprivate(last) shared(a)
    for (int i = n - 1; i >= 0; i--) {
      last = y[i] * a;
      y[i] += last;
    }
#pragma omp taskloop nogroup priority(2) if (n > 3)
    for (int i = 0; i < n; i++)
      y[i] *= x[i];
#pragma omp taskwait
#pragma omp taskloop untied mergeable final(n > 5)
    for (long i = 0; i < n; i += 2)
      y[i] += x[i];
  }
  return last;
}

static void nests(const double *x, double *y, int n, int m) {
#pragma omp parallel
#pragma omp masked
  {
#pragma omp taskloop collapse(2) grainsize(strict : 4)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        y[m * i + j] = x[m * i + j] * x[j];
#pragma omp taskloop
    for (int i = 0; i < n; i++) {
#pragma omp taskloop
      for (int j = 0; j < m; j++)
        y[m * i + j] *= x[i];
    }
  }
#pragma omp parallel masked taskloop simd num_tasks(strict : 3)
  for (int i = 0; i < n * m; i++)
    y[i] += x[i] * x[i];
#pragma omp parallel master taskloop
  for (int i = 0; i < n * m; i++)
    y[i] *= x[0];
}

static double everyThread(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num(), all = omp_get_num_threads();
#pragma omp for reduction(+ : s)
    for (int i = 0; i < n; i++)
      s += x[i];
#pragma omp taskloop
    for (int i = me * n / all; i < (me + 1) * n / all; i++)
      y[i] = x[i] * x[i];
  }
  return s + y[0];
}

// The task is complete when somebody says so: it is, when its work is done.
static double detached(const double *x) {
  double a = 0, b = 0;
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task detach(event) shared(a) depend(out : a)
    {
      a = x[0] * x[1];
      omp_fulfill_event(event);
    }
#pragma omp task depend(in : a) shared(a, b)
    b = a * a;
  }
  return a * b;
}

static double fulfilledElsewhere(const double *x) {
  double a = 0, b = 0;
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task detach(event) shared(a) depend(out : a)
    a = x[0] * x[1];
#pragma omp task firstprivate(event) shared(b)
    {
      b = x[2] * x[2];
      omp_fulfill_event(event);
    }
#pragma omp taskwait
  }
  return a * b;
}

static double search(const double *x, int n, int where) {
  double found = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  {
    for (int i = 0; i < n; i++) {
#pragma omp task shared(found)
      {
#pragma omp cancellation point taskgroup
        if (i == where) {
          found = x[i] * x[i];
#pragma omp cancel taskgroup
        }
      }
    }
  }
  return found * x[0];
}

static double neverCancelled(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < n; i++)
#pragma omp task
      {
        y[i] = x[i] * x[i];
#pragma omp cancel taskgroup if (x[i] > 100)
#pragma omp cancellation point taskgroup
        y[i] *= x[0];
      }
    }
#pragma omp taskloop reduction(+ : s)
    for (int i = 0; i < n; i++) {
      s += y[i];
#pragma omp cancel taskgroup if (x[i] > 100)
    }
  }
  return s;
}

GRADIENT_CHECK(taskloop_clauses, Double, loops, In(double, 11), Out(double, 11), Int(11))
GRADIENT_CHECK(taskloop_nests, Void, nests, In(double, 12), Out(double, 12), Int(3), Int(4))
GRADIENT_CHECK(taskloop_every_thread, Double, everyThread, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(task_detached, Double, detached, In(double, 3))
GRADIENT_CHECK(task_fulfilled, Double, fulfilledElsewhere, In(double, 3))
GRADIENT_CHECK(task_search, Double, search, In(double, 9), Int(9), Int(4))
GRADIENT_CHECK(task_never_cancelled, Double, neverCancelled, In(double, 9), Out(double, 9), Int(9))
