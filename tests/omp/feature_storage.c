// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where variables live: of each thread, across regions, handed to all, cancelled half-way.
// Supports: `threadprivate` across regions, `copyin`, `copyprivate` of pointers, scratch memory of a thread
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

static double own, table[4];
static struct {
  double sum;
  int count;
} record;
#pragma omp threadprivate(own, table, record)

#include "OwnVariables.h"

// What a thread keeps is there in the next region of the same size.
static double across(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel num_threads(2)
  {
    own = x[omp_get_thread_num()] * x[0];
    for (int k = 0; k < 4; k++)
      table[k] = own * x[k];
  }
#pragma omp parallel num_threads(2) reduction(+ : s)
  {
    own += table[2];
    s += own * table[1] * (omp_get_thread_num() + 1);
    if (omp_get_num_threads() == 1)
      s += 1;
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = x[i] * x[i];
  }
  return s + own;
}

static void broadcast(const double *x, double *y, int n) {
#pragma omp parallel
  {
    double a, b[2];
    const double *p;
#pragma omp single copyprivate(a, b, p, own)
    {
      a = x[0] * x[1];
      b[0] = a * x[2];
      b[1] = 2;
      p = x + 1;
      own = a * a;
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; i++)
      y[i] = a * x[i] + b[0] * b[1] * p[i % 3] + own;
#pragma omp single copyprivate(a)
    a = y[0] * y[1];
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] *= a;
  }
}

// Scratch memory of each thread's own: on the stack, of variable length, from the heap.
static double scratch(const double *x, double *y, int n, int m) {
  double s = 0;
#pragma omp parallel reduction(+ : s)
  {
    double v[m], *h = (double *)malloc(m * sizeof *h), f[3] = {1, 2, 3};
#pragma omp for
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < m; j++) {
        v[j] = x[i] * x[j];
        h[j] = v[j] * f[j % 3];
      }
      y[i] = 0;
      for (int j = 0; j < m; j++)
        y[i] += v[j] * h[m - 1 - j];
      s += h[0];
    }
    free(h);
  }
  return s;
}

// Scratch memory of each thread that the others read through pointers as well.
static double lent[3];
#pragma omp threadprivate(lent)
static double published(const double *x, double *y, int n) {
  const double *of[2] = {0, 0};
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num(), other = omp_get_num_threads() - 1 - me;
    of[me] = lent;
    for (int k = 0; k < 3; k++)
      lent[k] = x[k] * x[k + me];
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < 200; j++)
        sum += lent[(i + j) % 3] * of[other][i % 3];
      y[i] = sum;
    }
  }
  return y[0] * y[n - 1];
}

// And that none of them sees: updates of its adjoint are plain.
static double work[9];
#pragma omp threadprivate(work)
static double unseen(const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++)
      work[k] = x[k] * x[i];
    for (int k = 1; k < n; k++)
      work[k] += work[k - 1] * work[(k * 5) % n];
    y[i] = work[n - 1] * work[i];
  }
  return y[0] * y[n - 1];
}

static double allocated(const double *x, double *y, int n) {
  double t = 0, v[3] = {x[0], 0, 0}, w = 0;
#pragma omp allocate(w)
#pragma omp parallel for private(t) firstprivate(v) allocate(omp_default_mem_alloc : t)
  for (int i = 0; i < n; i++) {
    t = x[i] * x[i];
    v[1] = t * v[0];
    y[i] = t * v[1];
  }
  for (int i = 0; i < n; i++)
    w += y[i] * x[i];
  return w;
}

static double cancelled(const double *x, double *y, int n) {
  double s = 0;
  int where = -1;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) {
      if (i == n / 2) {
        s = x[i] * x[i];
        where = i;
#pragma omp cancel for
      }
    }
#pragma omp cancellation point parallel
    if (omp_get_thread_num() == 0)
      y[0] = s * x[0];
#pragma omp cancel parallel if (n < 0)
  }
#pragma omp parallel sections
  {
#pragma omp section
    {
      y[1] = x[1] * s;
#pragma omp cancel sections if (n < 0)
    }
#pragma omp section
    {
#pragma omp cancellation point sections
      y[2] = x[2] * x[2];
    }
  }
  return s * where;
}

GRADIENT_CHECK(store_across, Double, across, In(double, 6), Out(double, 6), Int(6))
GRADIENT_CHECK(store_copied, Double, copied, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(store_accumulated, Double, accumulated, In(double, 9), Int(9))
GRADIENT_CHECK(store_broadcast, Void, broadcast, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(store_scratch, Double, scratch, In(double, 9), Out(double, 9), Int(9), Int(4))
GRADIENT_CHECK(store_published, Double, published, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(store_unseen, Double, unseen, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(store_allocated, Double, allocated, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(store_cancelled, Double, cancelled, In(double, 9), InOut(double, 3), Int(9))
