// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worksharing loops: schedules, forms of the loop, clauses.
// Supports: schedules `auto`, `runtime`, monotonic; every form of loop counter; orphaned loops; `nowait`; `linear`
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>

static double scheduled(const double *x, double *y, int n) {
  double s = 0;
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
#pragma omp parallel reduction(+ : s)
  {
#pragma omp for schedule(auto)
    for (int i = 0; i < n; i++)
      y[i] = x[i] * x[i];
#pragma omp for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < n; i++)
      y[i] *= x[n - 1 - i];
#pragma omp for schedule(nonmonotonic : guided)
    for (int i = 0; i < n; i++)
      s += y[i] * x[i];
#pragma omp for simd schedule(simd : static)
    for (int i = 0; i < n; i++)
      y[i] += x[i];
#pragma omp for schedule(monotonic : static, 2)
    for (int i = 0; i < n; i++)
      y[i] *= y[i];
  }
  const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                               omp_sched_auto};
  for (int k = 0; k < 4; k++) {
    omp_set_schedule(kinds[k], k);
#pragma omp parallel for schedule(runtime) reduction(+ : s)
    for (int i = 0; i < n; i++) {
      y[i] = y[i] * 0.5 + x[i];
      s += y[i];
    }
  }
  omp_set_schedule(kind, chunk);
  return s;
}

// Every kind of counter: signed and unsigned, down, with steps, pointers, `!=`.
static void counters(double *x, double *y, int n) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = n - 1; i >= 0; i -= 2)
      y[i] = x[i] * x[i];
#pragma omp for
    for (unsigned long i = 0; i < (unsigned long)n; i += 2)
      if ((n - 1 - (int)i) % 2 != 0)
        y[i] = x[i] * x[0];
#pragma omp for
    for (double *p = x; p < x + n; p++)
      y[p - x] += *p * *p;
#pragma omp for
    for (int i = 0; i != n; i++)
      y[i] *= x[i];
#pragma omp for
    for (long long i = n; i > 0; --i)
      y[i - 1] += x[i - 1];
#pragma omp for schedule(dynamic)
    for (unsigned char c = 0; c < 5; c++)
      y[c] *= x[c + 1];
#pragma omp for schedule(guided, 2)
    for (short i = 1; i <= 7; i = i + 3)
      y[i] *= x[1];
#pragma omp for schedule(dynamic, 3)
    for (double *p = x + n - 1; p >= x; p -= 3)
      y[p - x] -= *p;
  }
}

static double orphan(const double *x, double *y, int n) {
  double mine = 0;
#pragma omp for nowait
  for (int i = 0; i < n; i++) {
    y[i] = sin(x[i]) * x[i];
    mine += y[i];
  }
  return mine;
}

static double orphaned(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel reduction(+ : s)
  {
    s += orphan(x, y, n);
#pragma omp barrier
    s += orphan(y, y + n, n);
  }
  return s + orphan(x, y, n); // outside of any region, on one thread
}

// Loops without a barrier in between: the same static schedule gives the same thread the same
// index.
static void chain(const double *x, double *y, double *z, int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++)
      y[i] = x[i] * x[i];
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++)
      z[i] = y[i] * x[i] + z[i];
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      y[i] += z[i] * z[i];
  }
}

static double firstAndLast(const double *x, double *y, int n) {
  double a = x[0], b[2] = {x[1], x[2]};
  struct {
    double v;
    int at;
  } last = {0, 0};
#pragma omp parallel for firstprivate(a, b) lastprivate(a, b, last) schedule(static, 2)
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * (i < n ? b[0] * 0 + x[0] : a);
    a = x[i] * x[i];
    b[1] = a * x[i];
    last.v = y[i] * a;
    last.at = i;
    b[0] = 1;
  }
  return a * b[1] + last.v * last.at + b[0];
}

static double linears(const double *x, double *y, int n) {
  int k = 3, j = 0;
  const double *p = x;
#pragma omp parallel for linear(k : 2) linear(j) linear(p : 1)
  for (int i = 0; i < n; i++) {
    y[j] = *p * x[k % n];
    k += 2;
    j++;
    p++;
  }
  return y[j - 1] * x[k % n];
}

static void collapsed(const double *x, double *y, int n, int m) {
#pragma omp parallel for collapse(2) schedule(dynamic, 2)
  for (int i = 0; i < n; i++)
    for (int j = m - 1; j >= 0; j--)
      y[m * i + j] = x[m * i + j] * x[j];
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = i; j < m; j++)
      y[m * i + j] += x[i];
#pragma omp parallel for collapse(3) schedule(guided)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j += 2)
      for (int k = 0; k < 2; k++)
        if (j + k < m)
          y[m * i + j + k] *= x[k + 1];
#pragma omp parallel
#pragma omp for collapse(2) nowait order(concurrent)
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      y[m * i + j] *= y[m * i + j];
}

static double singles(const double *x, double *y, int n) {
  double a = 0, b = 0, c = x[0];
#pragma omp parallel
  {
#pragma omp single nowait
    a = x[0] * x[1];
#pragma omp single firstprivate(c)
    {
      c *= 2;
      b = x[1] * x[2] * c;
    }
#pragma omp sections nowait
    {
#pragma omp section
      y[0] = b * x[0];
#pragma omp section
      for (int i = 1; i < n - 1; i++)
        y[i] = x[i] * b;
#pragma omp section
      {
        y[n - 1] = sin(x[n - 1]);
      }
    }
#pragma omp sections lastprivate(c) reduction(+ : a)
    {
      {
        c = x[0];
        a += x[3];
      }
#pragma omp section
      {
        c = x[1] * x[1];
        a += c;
      }
    }
  }
  return a * c;
}

GRADIENT_CHECK(for_scheduled, Double, scheduled, In(double, 23), Out(double, 23), Int(23))
GRADIENT_CHECK(for_counters, Void, counters, In(double, 14), Out(double, 14), Int(14))
GRADIENT_CHECK(for_orphaned, Double, orphaned, In(double, 11), Out(double, 22), Int(11))
GRADIENT_CHECK(for_chain, Void, chain, In(double, 17), Out(double, 17), InOut(double, 17), Int(17))
GRADIENT_CHECK(for_first_and_last, Double, firstAndLast, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(for_linear, Double, linears, In(double, 12), Out(double, 12), Int(12))
GRADIENT_CHECK(for_collapsed, Void, collapsed, In(double, 20), Out(double, 20), Int(4), Int(5))
GRADIENT_CHECK(for_singles, Double, singles, In(double, 8), Out(double, 8), Int(8))
