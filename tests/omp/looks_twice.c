// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What whoever comes first makes: a thread looks at an ordinary integer or address, takes the lock
// if it is not set, and looks again. Who finds it set takes no lock, and uses what was made before
// it was set: one thread has hardly anything else to do, the other one much, before and after.
// Supports: values that whoever comes first makes behind a lock that is taken only where needed
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

static double toil(double v) {
  for (int k = 0; k < 100000; k++)
    v += 1e-5 * sin(v);
  return v;
}

/// Get gives the same value each time, made of x[0] and x[1].
#define FIRST_COMES(Name, Get, Begin, End)                                                         \
  static double Name(const double *x, double *y, int n) {                                          \
    double s = 0;                                                                                  \
    Begin;                                                                                         \
    _Pragma("omp parallel num_threads(2) reduction(+ : s)") {                                      \
      if (omp_get_thread_num() == 0) {                                                             \
        s += Get * x[3];                                                                           \
      } else {                                                                                     \
        const double late = toil(x[2]);                                                            \
        s += Get * late;                                                                           \
        s += toil(Get * x[4]);                                                                     \
      }                                                                                            \
      _Pragma("omp for") for (int i = 0; i < n; i++) y[i] *= Get;                                  \
    }                                                                                              \
    if (omp_get_max_threads() < 0)                                                                 \
      s += Get;                                                                                    \
    End;                                                                                           \
    return s;                                                                                      \
  }                                                                                                \
  GRADIENT_CHECK(twice_##Name, Double, Name, In(double, 6), InOut(double, 6), Int(6))

static int ready;
static double value;
static omp_lock_t lock;

static double locked(const double *x) {
  if (!ready) {
    omp_set_lock(&lock);
    if (!ready) {
      value = sin(x[0]) * x[1];
      ready = 1;
    }
    omp_unset_lock(&lock);
  }
  return value;
}
FIRST_COMES(byLock, locked(x), (ready = 0, omp_init_lock(&lock)), omp_destroy_lock(&lock))

static double *table;

static double tabled(const double *x) {
  double *t = table;
  if (!t) {
#pragma omp critical(tables)
    {
      if (!table) {
        double *fresh = malloc(2 * sizeof *fresh);
        fresh[0] = x[0] * x[0];
        fresh[1] = exp(-x[1]);
        table = fresh;
      }
      t = table;
    }
  }
  return t[0] * t[1];
}
FIRST_COMES(byAddress, tabled(x), table = 0, free(table))

struct lazy {
  double v;
  int isSet;
};

__attribute__((noinline)) static double demanded(struct lazy *l, const double *x) {
  if (!l->isSet) {
#pragma omp critical
    if (!l->isSet) {
      l->v = x[0] / x[1];
#pragma omp flush
      l->isSet = 1;
    }
  }
  return l->v;
}
FIRST_COMES(byMember, demanded(&l, x), struct lazy l = {0}, (void)l)
