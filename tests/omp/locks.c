// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks: one, one for each class of iterations, with a hint, nested. The factors commute.
// Supports: locks, simple, nested and with hints
#include "GradientCheck.h"
#include <omp.h>

static double simple(const double *x, int n) {
  double s[3] = {1, 1, 1};
  omp_lock_t locks[3], hinted;
  for (int k = 0; k < 3; k++)
    omp_init_lock(&locks[k]);
  omp_init_lock_with_hint(&hinted, omp_sync_hint_contended);
  double all = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int k = i % 3;
    omp_set_lock(&locks[k]);
    s[k] *= x[i] + 0.5;
    omp_unset_lock(&locks[k]);
    omp_set_lock(&hinted);
    all += x[i] * x[0];
    omp_unset_lock(&hinted);
  }
  for (int k = 0; k < 3; k++)
    omp_destroy_lock(&locks[k]);
  omp_destroy_lock(&hinted);
  return s[0] * s[1] + s[2] * all;
}

static double nested(const double *x, int n) {
  double s = 1;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    omp_set_nest_lock(&lock);
    s *= x[i] + 0.5;
    omp_set_nest_lock(&lock);
    s *= x[0];
    omp_unset_nest_lock(&lock);
    s *= x[i];
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  return s;
}

GRADIENT_CHECK_BOUND(1e-10, lock_simple, Double, simple, In(double, 15), Int(15))
GRADIENT_CHECK_BOUND(1e-10, lock_nested, Double, nested, In(double, 8), Int(8))
