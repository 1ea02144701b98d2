// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that wait for flags: each for the one before it, for what whoever made it has written
// first, and for a task of another kind that was made first. The flag is used again when somebody
// has waited for the tasks. By the time a task begins its flag is set: nothing else says that it
// will not be begun first by the only thread that is awake.
// Supports: tasks that wait for what was done before they were made
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>
#include <stdatomic.h>

static double chain(const double *x, double *y, int n) {
  int flag[8] = {1};
  double v[8] = {x[0]};
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 1; i < 6; i++)
#pragma omp task shared(flag, v) firstprivate(i) depend(inout : v)
  {
    while (!flag[i - 1]) {
#pragma omp flush
    }
    v[i] = sin(v[i - 1] * x[i % 5]);
#pragma omp flush
    flag[i] = 1;
#pragma omp flush
  }
  for (int i = 0; i < n; i++)
    y[i] *= v[5];
  return v[4];
}

static double first(const double *x, double *y, int n) {
  int flag[8] = {0};
  double v[8] = {0}, s = 0;
#pragma omp parallel num_threads(2) reduction(+ : s)
  if (omp_get_thread_num() == 0 || omp_get_num_threads() == 1) {
    for (int i = 0; i < 5; i++) {
      v[i] = sin(x[i]);
#pragma omp flush
      flag[i] = 1;
#pragma omp flush
#pragma omp task shared(flag, v, s) firstprivate(i)
      {
        while (!flag[i]) {
#pragma omp flush
        }
#pragma omp atomic
        v[6] += v[i] * x[0];
      }
    }
  } else {
    for (int i = 0; i < 5; i++) {
      while (!flag[i]) {
#pragma omp flush
      }
      s += v[i];
    }
  }
  for (int i = 0; i < n; i++)
    y[i] *= v[6];
  return s + v[6];
}

static double again(const double *x, double *y, int n) {
  atomic_int flag = 0;
  double v = 0, s = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int k = 0; k < 3; k++) {
#pragma omp task shared(flag, v) firstprivate(k)
    {
      v = sin(x[0] + k);
      atomic_store(&flag, k + 1);
    }
#pragma omp taskwait
#pragma omp task shared(flag, v, s) firstprivate(k)
    {
      while (atomic_load(&flag) != k + 1)
        ;
      s += v * x[2];
    }
#pragma omp taskwait
    flag = 0;
  }
  for (int i = 0; i < n; i++)
    y[i] *= s;
  return s;
}

GRADIENT_CHECK(waiting_chain, Double, chain, In(double, 5), InOut(double, 5), Int(5))
GRADIENT_CHECK(waiting_first, Double, first, In(double, 5), InOut(double, 5), Int(5))
GRADIENT_CHECK(waiting_again, Double, again, In(double, 5), InOut(double, 5), Int(5))
