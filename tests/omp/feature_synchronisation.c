// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections, locks, ordered sections, flushes and chosen threads.
// Supports: `omp_test_lock`, named `critical`, `flush`, `masked`, `ordered` with every schedule
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>

static double named(const double *x, int n) {
  double a = 1, b = 0, c = 0, d = 0;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++) {
#pragma omp critical(first)
    a *= x[i] + 0.5;
#pragma omp critical(second) hint(omp_sync_hint_contended)
    {
      b += x[i] * x[i];
      if (x[i] > 1)
#pragma omp critical(third)
        c += b * 0 + x[i];
    }
#pragma omp critical
    d += x[i] * x[0];
  }
  return a * b + c + d;
}

static double branches(const double *x, int n) {
  double s = 0, most = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0)
      continue;
    if (x[i] * x[i] > 0.3) {
#pragma omp critical
      {
        if (x[i] * x[i] > most)
          most = x[i] * x[i];
        for (int k = 0; k < i; k++)
          s += x[k] * x[i];
      }
    }
  }
  return s * most;
}

static void add(double *to, double v, omp_lock_t *lock) {
  omp_set_lock(lock);
  *to = *to + v * v;
  omp_unset_lock(lock);
}

static double locked(const double *x, int n) {
  double s[4] = {0, 1, 0, 1};
  omp_lock_t locks[4];
  for (int k = 0; k < 4; k++)
    omp_init_lock(locks + k);
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; i++)
    add(s + i % 4, x[i], locks + i % 4);
  for (int k = 0; k < 4; k++)
    omp_destroy_lock(locks + k);
  return s[0] * s[1] + s[2] * s[3];
}

// A lock that may be taken, and is waited for elsewise: the same in the end.
static double tested(const double *x, int n) {
  double s = 0, p = 1;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double v = x[i] * x[i];
    while (!omp_test_lock(&lock)) {
    }
    s += v;
    p *= x[i];
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  return s * p;
}

static double testedOrNot(const double *x, int n) {
  double s = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double v = x[i] * x[i];
    if (omp_test_lock(&lock)) {
      s += v;
      omp_unset_lock(&lock);
    } else {
      omp_set_lock(&lock);
      s += v;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  return s * s;
}

static double testedNested(const double *x, int n) {
  double s = 1;
  omp_nest_lock_t lock;
  omp_init_nest_lock_with_hint(&lock, omp_sync_hint_uncontended);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    while (omp_test_nest_lock(&lock) == 0) {
#pragma omp taskyield
    }
    s *= x[i] + 0.4;
    omp_set_nest_lock(&lock);
    s *= x[0];
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  return s;
}

static double ordered(const double *x, double *y, int n) {
  double s = 1;
#pragma omp parallel
  {
#pragma omp for ordered schedule(dynamic, 2)
    for (int i = 0; i < n; i++) {
      double v = sin(x[i]);
#pragma omp ordered
      {
        s = s * v + x[i];
        y[i] = s;
      }
      y[i] *= v;
    }
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < n; i++) {
      if (i % 2 == 0) {
#pragma omp ordered threads
        s += s * x[i];
      }
    }
#pragma omp for collapse(2) ordered
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 2; j++) {
#pragma omp ordered
        s = s * 0.5 + x[i] * x[j];
      }
  }
  return s;
}

static double doacross(const double *x, double *y, int n, int m) {
#pragma omp parallel for ordered(2) schedule(static, 1)
  for (int i = 1; i < n; i++)
    for (int j = 1; j < m; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      y[m * i + j] = y[m * (i - 1) + j] * x[i] + y[m * i + j - 1] * x[j];
#pragma omp ordered depend(source)
    }
#pragma omp parallel for ordered(1)
  for (int i = 1; i < n; i++) {
    double v = x[i] * x[i];
#pragma omp ordered depend(sink : i - 1)
    y[i] += y[i - 1] * v;
#pragma omp ordered depend(source)
  }
  return y[n * m - 1];
}

static void handed(const double *x, double *y, int n) {
  double given = 0;
  int ready = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_num_threads() < 2 || omp_get_thread_num() == 0) {
      given = x[0] * x[1];
#pragma omp flush(given)
#pragma omp atomic write
      ready = 1;
#pragma omp flush(ready)
    }
    if (omp_get_num_threads() < 2 || omp_get_thread_num() == 1) {
      int seen = 0;
      while (!seen) {
#pragma omp flush(ready)
#pragma omp atomic read
        seen = ready;
      }
#pragma omp flush
      for (int i = 0; i < n; i++)
        y[i] = given * x[i];
    }
  }
}

static double masks(const double *x, double *y, int n) {
  double a = 0, b = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp masked filter(1 % omp_get_num_threads())
    a = x[0] * x[0];
#pragma omp master
    b = x[1] * x[2];
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = a * x[i] + b;
#pragma omp masked
    for (int i = 0; i < n; i++)
      b += y[i] * y[i];
  }
#pragma omp parallel masked filter(0)
  a *= b;
#pragma omp parallel master
  b += a;
  return a + b;
}

GRADIENT_CHECK_BOUND(1e-10, sync_named, Double, named, In(double, 12), Int(12))
GRADIENT_CHECK(sync_branches, Double, branches, In(double, 12), Int(12))
GRADIENT_CHECK(sync_locked, Double, locked, In(double, 12), Int(12))
GRADIENT_CHECK_BOUND(1e-10, sync_tested, Double, tested, In(double, 12), Int(12))
GRADIENT_CHECK(sync_tested_or_not, Double, testedOrNot, In(double, 12), Int(12))
GRADIENT_CHECK_BOUND(1e-10, sync_tested_nested, Double, testedNested, In(double, 7), Int(7))
GRADIENT_CHECK(sync_ordered, Double, ordered, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(sync_doacross, Double, doacross, In(double, 6), InOut(double, 20), Int(5), Int(4))
GRADIENT_CHECK(sync_handed, Void, handed, In(double, 6), Out(double, 6), Int(6))
GRADIENT_CHECK(sync_masks, Double, masks, In(double, 9), Out(double, 9), Int(9))
