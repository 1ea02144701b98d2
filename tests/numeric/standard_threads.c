// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of C11: made of functions that are named and of those of a table, with results; a
// queue with a mutex and a condition variable; what is done once.
// Supports: `thrd_create`, `thrd_join`, `thrd_exit`, `cnd_wait`, `call_once`
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>
#include <threads.h>

typedef struct {
  const double *x;
  double *r;
  int i;
} job;

static int product(void *argument) {
  job *own = (job *)argument;
  own->r[own->i] = own->x[own->i] * own->x[own->i + 1];
  return own->i + 1;
}
static int sine(void *argument) {
  job *own = (job *)argument;
  own->r[own->i] = sin(own->x[own->i]);
  return -3;
}

enum { threads = 4 };

static double tabulated(const double *x) {
  static int (*const work[])(void *) = {product, sine};
  double r[threads], sum = 0;
  job jobs[threads];
  thrd_t started[threads];
  for (int i = 0; i < threads; ++i) {
    jobs[i] = (job){x, r, i};
    if (thrd_create(&started[i], work[i % 2], &jobs[i]) != thrd_success)
      abort();
  }
  for (int i = 0; i < threads; ++i) {
    int result;
    thrd_join(started[i], &result);
    sum += r[i] * r[i] * result;
  }
  return sum;
}
GRADIENT_CHECK(standard_threads_tabulated, Double, tabulated, In(double, 5))

typedef struct {
  mtx_t guard;
  cnd_t filled;
  double waiting[8], sum;
  int n, done;
} queue;

static once_flag weighed = ONCE_FLAG_INIT;
static double weight;
static void weigh(void) { weight = 2; }

static int consume(void *argument) {
  queue *q = (queue *)argument;
  int taken = 0;
  call_once(&weighed, weigh);
  for (;;) {
    mtx_lock(&q->guard);
    while (q->n == 0 && !q->done)
      cnd_wait(&q->filled, &q->guard);
    if (q->n == 0) {
      mtx_unlock(&q->guard);
      thrd_exit(taken);
    }
    const double next = q->waiting[--q->n];
    mtx_unlock(&q->guard);
    q->sum += weight * next * next;
    ++taken;
  }
}

static double queued(const double *x, int n) {
  queue q = {.n = 0, .done = 0, .sum = 0};
  thrd_t consumer;
  mtx_init(&q.guard, mtx_plain);
  cnd_init(&q.filled);
  if (thrd_create(&consumer, consume, &q) != thrd_success)
    abort();
  for (int i = 0; i < n; ++i) {
    mtx_lock(&q.guard);
    q.waiting[q.n++] = exp(x[i]) * x[0];
    mtx_unlock(&q.guard);
    cnd_signal(&q.filled);
    thrd_yield();
  }
  mtx_lock(&q.guard);
  q.done = 1;
  cnd_broadcast(&q.filled);
  mtx_unlock(&q.guard);
  int taken = 0;
  thrd_join(consumer, &taken);
  mtx_destroy(&q.guard);
  cnd_destroy(&q.filled);
  return q.sum * taken;
}
GRADIENT_CHECK(standard_threads_queued, Double, queued, In(double, 6), Int(6))
