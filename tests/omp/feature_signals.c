// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How threads wait for each other: locks in structures, set in one function and released in
// another, in branches; turns, counters of arrivals and spin locks made of atomic or volatile
// integers.
// Supports: locks in structures and in other functions; flags, spin locks and counters that threads wait for
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

struct cell {
  omp_lock_t lock;
  double v;
  struct cell *next;
};

__attribute__((noinline)) static void take(struct cell *c) { omp_set_lock(&c->lock); }

__attribute__((noinline)) static void give(struct cell *c) { omp_unset_lock(&c->lock); }
static double structs(const double *x, int n) {
  struct cell c[3];
  double s = 0;
  for (int k = 0; k < 3; k++) {
    omp_init_lock(&c[k].lock);
    c[k].v = 1;
    c[k].next = c + (k + 1) % 3;
  }
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++) {
    struct cell *p = c + i % 3;
    take(p);
    p->v = p->v * x[i] + x[0] * 0.1 * (i % 3 == 0);
    give(p);
  }
  for (int k = 0; k < 3; k++) {
    s += c[k].v * c[k].next->v;
    omp_destroy_lock(&c[k].lock);
  }
  return s;
}

static double heap(const double *x, int n) {
  struct cell *c = malloc(4 * sizeof *c);
  double s = 0;
  for (int k = 0; k < 4; k++) {
    omp_init_lock(&c[k].lock);
    c[k].v = k;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 4; k++) {
      if (k % 2 && omp_test_lock(&c[k].lock)) {
        c[k].v += x[i] * x[k];
        omp_unset_lock(&c[k].lock);
      } else {
        omp_set_lock(&c[k].lock);
        c[k].v += x[i] * x[k];
        omp_unset_lock(&c[k].lock);
      }
    }
  for (int k = 0; k < 4; k++) {
    s += c[k].v * c[k].v;
    omp_destroy_lock(&c[k].lock);
  }
  free(c);
  return s;
}

static double two(const double *x, int n) {
  omp_lock_t a, b;
  double p = 1, q = 1;
  omp_init_lock(&a);
  omp_init_lock(&b);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    omp_set_lock(&a);
    p *= x[i];
    if (i % 2) {
      omp_set_lock(&b);
      q *= x[i];
      omp_unset_lock(&b);
    }
    omp_unset_lock(&a);
    if (x[i] > 0.9)
      omp_set_lock(&b);
    if (x[i] > 0.9)
      q *= x[0];
    if (x[i] > 0.9)
      omp_unset_lock(&b);
  }
  return p * q;
}

static double rec(const double *x, int n, double *s, omp_nest_lock_t *l) {
  if (n == 0)
    return 0;
  omp_set_nest_lock(l);
  *s = *s * x[n - 1] + 1;
  double r = rec(x, n - 1, s, l);
  omp_unset_nest_lock(l);
  return r + x[n - 1];
}

static double recursive(const double *x, int n) {
  double s = 1, t = 0;
  omp_nest_lock_t l;
  omp_init_nest_lock(&l);
#pragma omp parallel for reduction(+ : t) num_threads(1)
  for (int i = 0; i < 3; i++)
    t += rec(x, n, &s, &l);
  omp_destroy_nest_lock(&l);
  return s * t;
}

static double handoff(const double *x, int n) {
  int turn = 0;
  double s = 1;
#pragma omp parallel num_threads(3)
  {
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = me; i < n; i += all) {
      int t;
      do {
#pragma omp atomic read
        t = turn;
      } while (t != i);
      s = s * 0.5 + x[i] * s;
#pragma omp atomic
      turn++;
    }
  }
  return s;
}

static double arrive(const double *x, double *y, int n) {
  int count = 0;
  double s = 0;
#pragma omp parallel
  {
    int all = omp_get_num_threads(), me = omp_get_thread_num();
    for (int i = me; i < n; i += all)
      y[i] = x[i] * x[i];
    int c;
#pragma omp atomic capture
    c = ++count;
    if (c == all)
      for (int i = 0; i < n; i++)
        s += y[i] * x[n - 1 - i];
  }
  return s * s;
}

static double exchanged(const double *x, int n) {
  int flag = 0;
  double s = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double v = x[i] * x[i];
    int got = 0;
    while (!got) {
      int e = 0;
      got = __atomic_compare_exchange_n(&flag, &e, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    }
    s = s * 1 + v;
    __atomic_store_n(&flag, 0, __ATOMIC_RELEASE);
  }
  return s * s;
}

static double testAndSet(const double *x, int n) {
  char f = 0;
  double s = 1;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    while (__atomic_test_and_set(&f, __ATOMIC_ACQUIRE))
      ;
    s *= x[i] + 0.3;
    __atomic_clear(&f, __ATOMIC_RELEASE);
  }
  return s;
}

static double volatileFlags(const double *x, double *y, int n) {
  volatile int ready[16] = {0};
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < n; i++) {
    if (i)
      while (!ready[i - 1])
        ;
    y[i] = (i ? y[i - 1] * 0.5 : 0) + x[i] * x[i];
    ready[i] = 1;
  }
  return y[n - 1];
}

GRADIENT_CHECK(signal_structs, Double, structs, In(double, 3), Int(3))
GRADIENT_CHECK(signal_heap, Double, heap, In(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-10, signal_two, Double, two, In(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-10, signal_nestrec, Double, recursive, In(double, 4), Int(4))
GRADIENT_CHECK(signal_handoff, Double, handoff, In(double, 7), Int(7))
GRADIENT_CHECK(signal_arrive, Double, arrive, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(signal_cas, Double, exchanged, In(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-10, signal_tas, Double, testAndSet, In(double, 7), Int(7))
GRADIENT_CHECK(signal_volatile, Double, volatileFlags, In(double, 9), Out(double, 9), Int(9))
