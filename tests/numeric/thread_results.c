// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs in C do with threads: they end them early, ask what they have returned, keep them
// in structures and arrays, detach them and wait for a condition.
// Supports: `pthread_join` with a result, `pthread_exit`, `pthread_detach`
#include "GradientCheck.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// A work sheet in a global variable, a number instead of a pointer as the argument, and no return.
enum { helpers = 3, columns = 4 };

static struct {
  const double *price, *amount;
  double total;
  pthread_mutex_t total_lock;
} sheet;

static void *add_columns(void *number) {
  const long helper = (long)number;
  double cost = 0;
  for (long column = helper * columns; column < (helper + 1) * columns; ++column)
    cost += sheet.price[column] * sheet.amount[column] * sheet.amount[column];
  pthread_mutex_lock(&sheet.total_lock);
  sheet.total += cost;
  pthread_mutex_unlock(&sheet.total_lock);
  pthread_exit(NULL);
}
static double work_sheet(const double *price, const double *amount) {
  pthread_t started[helpers];
  pthread_attr_t joinable;
  sheet.price = price;
  sheet.amount = amount;
  sheet.total = 0;
  pthread_mutex_init(&sheet.total_lock, NULL);
  pthread_attr_init(&joinable);
  pthread_attr_setdetachstate(&joinable, PTHREAD_CREATE_JOINABLE);
  for (long helper = 0; helper < helpers; ++helper)
    if (pthread_create(&started[helper], &joinable, add_columns, (void *)helper))
      abort();
  pthread_attr_destroy(&joinable);
  for (long helper = 0; helper < helpers; ++helper)
    pthread_join(started[helper], NULL);
  pthread_mutex_destroy(&sheet.total_lock);
  return sheet.total * sheet.total;
}
GRADIENT_CHECK(posix_sheet, Double, work_sheet, In(double, 12), In(double, 12))
static void *maybe(void *a) {
  double *p = a;
  if (p[0] > 0.7) {
    p[1] *= p[0];
    pthread_exit(p);
  }
  p[1] *= p[0] * p[0];
  return p + 1;
}
static double early(double *x, int n) {
  pthread_t *t = malloc(n / 2 * sizeof *t);
  double s = 1;
  void *r[8];
  for (int i = 0; i < n / 2; i++)
    pthread_create(t + i, 0, maybe, x + 2 * i);
  for (int i = 0; i < n / 2; i++)
    pthread_join(t[i], &r[i]);
  for (int i = 0; i < n / 2; i++)
    s *= *(double *)r[i] + i;
  free(t);
  return s;
}
GRADIENT_CHECK(posix_early, Double, early, InOut(double, 8), Int(8))
struct worker {
  pthread_t id;
  double *x;
  double out;
};
static void *wmain(void *a) {
  struct worker *w = a;
  w->out = w->x[0] * w->x[1];
  return &w->out;
}
static __attribute__((noinline)) double wait_for(pthread_t t) {
  void *r;
  if (pthread_join(t, &r))
    abort();
  return *(double *)r;
}
static double workers(double *x) {
  struct worker w[3];
  double s = 0;
  for (int i = 0; i < 3; i++) {
    w[i].x = x + i;
    w[i].out = 0;
    pthread_create(&w[i].id, 0, wmain, &w[i]);
  }
  for (int i = 0; i < 3; i++)
    s += wait_for(w[i].id) * x[i];
  return s;
}
GRADIENT_CHECK(posix_workers, Double, workers, In(double, 4))

typedef struct {
  const double *x;
  int lo, hi;
} part;
static void *ret(void *a) {
  part *j = a;
  double *r = malloc(sizeof *r);
  *r = 0;
  if (j->lo == j->hi)
    pthread_exit(r);
  for (int i = j->lo; i < j->hi; i++)
    *r += j->x[i] * j->x[i] * j->x[i];
  return r;
}
static double rets(const double *x, int n) {
  pthread_t t[3];
  part j[3];
  double s = 0;
  for (int k = 0; k < 3; k++) {
    j[k] = (part){x, k * n / 3, (k + 1) * n / 3};
    if (pthread_create(&t[k], NULL, ret, &j[k]))
      abort();
  }
  for (int k = 0; k < 3; k++) {
    void *r;
    pthread_join(t[k], &r);
    s += *(double *)r * s + *(double *)r;
    free(r);
  }
  return s;
}
GRADIENT_CHECK(posix_results, Double, rets, In(double, 6), Int(6))

typedef struct {
  const double *x;
  double s;
  pthread_mutex_t m;
  pthread_cond_t c;
  int done;
} job;
static void *detached(void *a) {
  job *j = a;
  double s = j->x[0] * j->x[1];
  pthread_mutex_lock(&j->m);
  j->s = s;
  j->done = 1;
  pthread_cond_signal(&j->c);
  pthread_mutex_unlock(&j->m);
  return NULL;
}
static double detach(const double *x) {
  pthread_t t;
  job j = {x, 0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
  pthread_create(&t, NULL, detached, &j);
  pthread_detach(t);
  pthread_mutex_lock(&j.m);
  while (!j.done)
    pthread_cond_wait(&j.c, &j.m);
  double s = j.s;
  pthread_mutex_unlock(&j.m);
  return s * s;
}
GRADIENT_CHECK(posix_detach, Double, detach, In(double, 6))
