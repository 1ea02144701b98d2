// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs in C do with threads: they end them early, ask what they have returned, keep them
// in structures and arrays, detach them and wait for a condition.
// Supports: `pthread_join` with a result, `pthread_exit`, `pthread_detach`
#include "GradientCheck.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define LENGTH 3
typedef struct {
  double *a;
  double *b;
  double sum;
  int veclen;
} data;
data all;
pthread_t threads[THREADS];
pthread_mutex_t guard;
void *dotprod(void *arg) {
  int i, start, end, len;
  long offset;
  double mysum, *x, *y;
  offset = (long)arg;
  len = all.veclen;
  start = offset * len;
  end = start + len;
  x = all.a;
  y = all.b;
  mysum = 0;
  for (i = start; i < end; i++)
    mysum += (x[i] * y[i]);
  pthread_mutex_lock(&guard);
  all.sum += mysum;
  pthread_mutex_unlock(&guard);
  pthread_exit((void *)0);
}
static double llnl(double *a, double *b, int n) {
  long i;
  void *status;
  pthread_attr_t attr;
  all.veclen = LENGTH;
  all.a = a;
  all.b = b;
  all.sum = 0;
  pthread_mutex_init(&guard, NULL);
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_JOINABLE);
  for (i = 0; i < THREADS; i++) {
    int rc = pthread_create(&threads[i], &attr, dotprod, (void *)i);
    if (rc) {
      printf("error %d\n", rc);
      exit(-1);
    }
  }
  pthread_attr_destroy(&attr);
  for (i = 0; i < THREADS; i++)
    pthread_join(threads[i], &status);
  pthread_mutex_destroy(&guard);
  return all.sum * all.sum;
}
GRADIENT_CHECK(posix_dot, Double, llnl, In(double, 12), In(double, 12), Int(12))
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
static double workers(double *x, int n) {
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
GRADIENT_CHECK(posix_workers, Double, workers, In(double, 4), Int(4))

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
static double detach(const double *x, int n) {
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
GRADIENT_CHECK(posix_detach, Double, detach, In(double, 6), Int(6))
