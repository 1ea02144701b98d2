// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads of POSIX wait at: barriers that are passed again and again, whose last thread has
// work of its own, made before the call or by it; semaphores, for some time or forever.
// Supports: `pthread_barrier_wait`, `sem_wait`, `sem_timedwait`
#include "GradientCheck.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

enum { workers = 3, steps = 3 };

typedef struct {
  double *u, *v, part[workers], norm;
  int n;
  pthread_barrier_t *meet;
} field;
typedef struct {
  field *f;
  int number;
} share;

/// All read what all have written in the step before, and the norm that one of them has added up.
static void *relax(void *argument) {
  share *own = (share *)argument;
  field *f = own->f;
  for (int step = 0; step < steps; ++step) {
    double *from = step % 2 ? f->v : f->u, *to = step % 2 ? f->u : f->v, sum = 0;
    for (int i = own->number; i < f->n; i += workers) {
      to[i] = from[i] * from[(i + 1) % f->n] / f->norm + sin(from[(i + f->n - 1) % f->n]);
      sum += to[i] * to[i];
    }
    f->part[own->number] = sum;
    if (pthread_barrier_wait(f->meet) == PTHREAD_BARRIER_SERIAL_THREAD) {
      f->norm = 1;
      for (int k = 0; k < workers; ++k)
        f->norm += f->part[k] * (k + 1);
    }
    pthread_barrier_wait(f->meet);
  }
  return NULL;
}
static double relaxed(field *f) {
  pthread_t started[workers];
  share shares[workers];
  for (int k = 0; k < workers; ++k) {
    shares[k] = (share){f, k};
    if (pthread_create(&started[k], NULL, relax, &shares[k]))
      abort();
  }
  for (int k = 0; k < workers; ++k)
    pthread_join(started[k], NULL);
  return f->norm;
}

static double made(const double *x, double *y, int n) {
  pthread_barrier_t meet;
  double u[8];
  field f = {.u = u, .v = y, .norm = x[0], .n = n, .meet = &meet};
  for (int i = 0; i < n; ++i) {
    u[i] = x[i];
    y[i] = 0;
  }
  pthread_barrier_init(&meet, NULL, workers);
  const double norm = relaxed(&f);
  pthread_barrier_destroy(&meet);
  return norm * u[1];
}
GRADIENT_CHECK(barrier_made, Double, made, In(double, 7), Out(double, 7), Int(7))

static pthread_barrier_t standing;

__attribute__((constructor)) static void stand(void) {
  if (pthread_barrier_init(&standing, NULL, workers))
    abort();
}
static double before(const double *x, double *y, int n) {
  double u[8], norm = 0;
  for (int i = 0; i < n; ++i) {
    u[i] = x[i];
    y[i] = 0;
  }
  for (int round = 0; round < 2; ++round) {
    field f = {.u = u, .v = y, .norm = 2 + norm * x[1], .n = n, .meet = &standing};
    norm = relaxed(&f);
  }
  return norm;
}
GRADIENT_CHECK(barrier_before, Double, before, In(double, 5), Out(double, 5), Int(5))

typedef struct {
  double slots[2];
  const double *x;
  int put, got, n;
  sem_t room, items;
} ring;

static void *produce(void *argument) {
  ring *r = (ring *)argument;
  for (int i = 0; i < r->n; ++i) {
    sem_wait(&r->room);
    r->slots[r->put++ % 2] = r->x[i] * r->x[i];
    sem_post(&r->items);
  }
  return NULL;
}
static int takes(sem_t *semaphore, time_t seconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += seconds;
  if (!sem_timedwait(semaphore, &until))
    return 1;
  if (errno != ETIMEDOUT)
    abort();
  return 0;
}
static double consume(const double *x, double *y, int n) {
  pthread_t producer;
  ring r = {.x = x, .n = n};
  double sum = 0;
  sem_init(&r.room, 0, 2);
  sem_init(&r.items, 0, 0);
  if (pthread_create(&producer, NULL, produce, &r))
    abort();
  for (int i = 0; i < n; ++i) {
    while (!takes(&r.items, 1000))
      ;
    y[i] = sin(r.slots[r.got++ % 2]);
    sum += y[i] * x[0];
    sem_post(&r.room);
  }
  pthread_join(producer, NULL);
  if (!takes(&r.items, 0))
    sum *= x[1];
  sem_destroy(&r.room);
  sem_destroy(&r.items);
  return sum;
}
GRADIENT_CHECK(semaphore_ring, Double, consume, In(double, 7), Out(double, 7), Int(7))
