// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several worksharing loops in one region: the barrier between two of them separates their
// reverses, too, so each is looked at for itself.
// Supports: several worksharing loops of one region without atomics, also with `nowait`; bodies of `single` and `masked`
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>

static void two_stencils(double *a, double *b, double *c, int n) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      b[i] = a[i] * a[i - 1] + 0.3 * a[i + 1];
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      c[i] = b[i] * b[i + 1] - a[i - 1] * b[i - 1];
  }
}

static void there_and_back(double *u, double *v, int n, int steps) {
#pragma omp parallel
  for (int s = 0; s < steps; s++) {
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      v[i] = 0.5 * u[i] * u[i - 1] + 0.2 * u[i + 1] + 0.01 * s;
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      u[i] = 0.4 * v[i] + 0.3 * v[i + 1] * v[i - 1];
  }
}

static void stages(double *u, double *k, int n, int steps) {
#pragma omp parallel
  for (int s = 0; s < steps; s++)
    for (int stage = 0; stage < 3; stage++) {
      double *from = k + stage * n, *to = k + (stage + 1) * n;
#pragma omp for
      for (int i = 0; i < n; i++)
        to[i] = u[i] * from[i == 0 ? 0 : i - 1] + 0.1 * from[i];
#pragma omp for
      for (int i = 1; i < n; i++)
        u[i] += 0.1 * to[i] * to[i - 1];
    }
}

static void swapped(double *a, double *b, int n, int steps) {
  double *u = a, *v = b;
#pragma omp parallel
  for (int s = 0; s < steps; s++) {
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      v[i] = 0.5 * u[i] * u[i - 1] + 0.3 * u[i + 1];
#pragma omp single
    {
      double *t = u;
      u = v;
      v = t;
    }
  }
}

static double norms(const double *x, double *y, int n, int steps) {
  double sum = 0, last = 1;
#pragma omp parallel
  for (int s = 0; s < steps; s++) {
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = y[i] * x[i] / last + x[n - 1 - i];
#pragma omp single
    sum = 0;
#pragma omp for reduction(+ : sum)
    for (int i = 1; i < n; i++)
      sum += y[i] * y[i - 1];
#pragma omp single
    last = sqrt(1 + sum * sum);
  }
  return last;
}

static void products(const double *a, const double *x, double *y, double *z, int n) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        y[i] += a[i * n + j] * x[j];
#pragma omp for
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        z[i] += a[j * n + i] * y[j] * y[i];
  }
}

static void without_waiting(double *x, double *y, double *z, int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++)
      y[i] += x[i] * x[i];
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++)
      z[i] += y[i] * x[n - 1 - i];
#pragma omp barrier
#pragma omp for
    for (int i = 1; i < n; i++)
      x[i] = z[i] * y[i - 1];
  }
}

static void ends(double *x, double *y, int n) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 1; i < n; i++)
      y[i] = x[i] * x[i - 1];
#pragma omp master
    x[0] = y[n - 1] * y[1];
#pragma omp barrier
    double own = x[0] * y[2];
#pragma omp for
    for (int i = 2; i < n - 1; i++)
      x[i] = y[i] * own + y[i + 1] * y[2];
#pragma omp single nowait
    y[0] = x[2] * x[n - 2] * y[2];
  }
}

static void thread_blocks(double *x, double *y, int n) {
#pragma omp parallel
  {
    int t = omp_get_thread_num(), T = omp_get_num_threads();
    for (int i = t * n / T; i < (t + 1) * n / T; i++)
      y[i] = x[i] * x[n - 1 - i];
#pragma omp barrier
#pragma omp for
    for (int i = 1; i < n; i++)
      x[i] = y[i] * y[i - 1];
#pragma omp for schedule(dynamic)
    for (int i = 1; i < n; i++)
      y[i] = x[i] * x[i - 1];
  }
}

// No barrier between: the reverse sweep has one, unless a critical section is in front.
static double together(const double *x, double *y, double *z, int n) {
  double s = 0;
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 1; i < n - 1; i++)
      y[i] = x[i] * x[i - 1] + x[i + 1];
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      z[i] = x[i] * x[i - 1] * x[i + 1];
  }
  for (int i = 1; i < n - 1; i++)
    s += y[i] * z[i];
  return s;
}

static void again(const double *x, double *y, int n, int count) {
#pragma omp parallel
  for (int s = 0; s < count; s++) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++)
      y[i] = y[i] * x[i] + x[(i + 1 < n) ? i + 1 : 0] * x[n - 1 - i];
  }
}

static double bodies(double *x, int n) {
  double s = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; i++)
      x[i] *= x[i];
#pragma omp single
    for (int i = 0; i < n; i++)
      s += x[i] * x[n - 1 - i];
#pragma omp master
    for (int i = 1; i < n; i++)
      x[i] += x[i - 1] * x[0];
#pragma omp barrier
#pragma omp masked
    {
      x[0] *= s;
      for (int i = 1; i < n; i++)
        s += x[i] * x[i - 1];
    }
#pragma omp barrier
#pragma omp for nowait
    for (int i = 0; i < n / 2; i++)
      x[i] *= s;
#pragma omp single nowait
    for (int i = n / 2; i < n; i++)
      x[i] *= s * s;
#pragma omp for
    for (int i = 0; i < n; i++)
      (void)0;
#pragma omp single
    s *= x[0] * x[n - 1] * x[n / 2];
  }
  return s;
}

static double singles(const double *x, double *y, int n) {
#pragma omp parallel
  {
    for (int k = 0; k < n; k++) {
#pragma omp single nowait
      for (int i = 0; i < n; i++)
        y[k] += x[i] * x[k];
    }
#pragma omp single nowait
    y[n] = x[0] * x[0] * x[1];
#pragma omp master
    y[n + 1] = x[0] * x[1];
#pragma omp single nowait
    y[n + 2] = x[1] * x[1] * x[0];
  }
  double s = 0;
  for (int i = 0; i < n + 3; i++)
    s += y[i] * y[i];
  return s;
}

static double around_critical(const double *x, double *y, int n) {
  double s = 1;
#pragma omp parallel
  {
#pragma omp for nowait schedule(static)
    for (int i = 1; i < n; i++)
      y[i] = x[i] * x[i - 1];
#pragma omp critical
    s *= omp_get_thread_num() ? 1 : 1 + 0.1 * x[0];
#pragma omp for nowait schedule(static)
    for (int i = 1; i < n; i++)
      y[i] *= x[i];
#pragma omp critical
    s *= omp_get_thread_num() ? 1 : 1 + 0.1 * x[1];
#pragma omp for nowait schedule(static)
    for (int i = 1; i < n; i++)
      y[i] += x[i - 1] * x[i] * x[i];
#pragma omp critical
    s *= omp_get_thread_num() ? 1 : 1 + 0.3 * x[2];
  }
  for (int i = 1; i < n; i++)
    s += y[i];
  return s;
}

static double sums(const double *x, double *y, int n) {
  double a = 0, b = 0, m = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : a) nowait
    for (int i = 1; i < n; i++)
      a += x[i] * x[i - 1];
#pragma omp for reduction(+ : b) nowait
    for (int i = 1; i < n; i++)
      b += x[i] * x[i] * x[i - 1];
#pragma omp for nowait
    for (int i = 1; i < n; i++)
      y[i] = x[i] * x[i - 1];
#pragma omp for schedule(dynamic) nowait
    for (int i = 1; i < n; i++)
      y[n + i] += x[i] * x[i - 1];
#pragma omp sections reduction(max : m)
    {
#pragma omp section
      m = fmax(m, x[0] * x[1]);
#pragma omp section
      m = fmax(m, x[1] * x[2] * x[0]);
    }
  }
  for (int i = 1; i < n; i++)
    m += y[i] * y[n + i] * a * b;
  return m;
}

// Of what is read here, only the run knows whether it is constant.
static double chosen(const double *x, double *y, const double *c, int n) {
  double a[12], b[12], s = 0;
  const double *either = n > 3 ? c : x;
  for (int i = 0; i < n; i++) {
    a[i] = x[i] * c[i];
    b[i] = x[i] * either[i];
  }
#pragma omp parallel
  for (int step = 0; step < 2; step++) {
#pragma omp for nowait
    for (int i = 1; i < n - 1; i++)
      y[i] = 0.4 * b[i] * b[i - 1] + 0.3 * b[i + 1] * c[i];
#pragma omp barrier
#pragma omp for nowait
    for (int i = 1; i < n; i++)
      a[i] = sin(a[i] + b[n - 1 - i] * y[0]);
#pragma omp barrier
#pragma omp for schedule(static)
    for (int i = n - 2; i > 0; i--)
      b[i] = cos(y[i] * a[i] + b[i]);
  }
  for (int i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}

GRADIENT_CHECK(phases_stencils, Void, two_stencils, InOut(double, 31), InOut(double, 31),
               InOut(double, 31), Int(31))
GRADIENT_CHECK(phases_there_and_back, Void, there_and_back, InOut(double, 37), InOut(double, 37),
               Int(37), Int(4))
GRADIENT_CHECK(phases_stages, Void, stages, InOut(double, 11), InOut(double, 44), Int(11), Int(2))
GRADIENT_CHECK(phases_swapped, Void, swapped, InOut(double, 29), InOut(double, 29), Int(29), Int(5))
GRADIENT_CHECK(phases_norms, Double, norms, In(double, 17), InOut(double, 17), Int(17), Int(3))
GRADIENT_CHECK(phases_products, Void, products, In(double, 81), In(double, 9), InOut(double, 9),
               InOut(double, 9), Int(9))
GRADIENT_CHECK(phases_without_waiting, Void, without_waiting, InOut(double, 23), InOut(double, 23),
               InOut(double, 23), Int(23))
GRADIENT_CHECK(phases_ends, Void, ends, InOut(double, 26), InOut(double, 26), Int(26))
GRADIENT_CHECK(phases_thread_blocks, Void, thread_blocks, InOut(double, 19), InOut(double, 19),
               Int(19))
GRADIENT_CHECK(phases_together, Double, together, In(double, 40), InOut(double, 40),
               InOut(double, 40), Int(40))
GRADIENT_CHECK(phases_again, Void, again, In(double, 20), InOut(double, 20), Int(20), Int(3))
GRADIENT_CHECK(phases_bodies, Double, bodies, InOut(double, 20), Int(20))
GRADIENT_CHECK(phases_singles, Double, singles, In(double, 10), InOut(double, 13), Int(10))
GRADIENT_CHECK(phases_around_critical, Double, around_critical, In(double, 20), InOut(double, 20),
               Int(20))
GRADIENT_CHECK(phases_sums, Double, sums, In(double, 20), InOut(double, 40), Int(20))
GRADIENT_CHECK(phases_chosen, Double, chosen, In(double, 12), InOut(double, 12), Const(double, 12),
               Int(12))
