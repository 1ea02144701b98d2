// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that wait for ordinary integers, with flush alone: a pipeline through columns whose
// flags are set and reset (the LU of the NAS benchmarks), one of neighbours behind pointers in
// other functions, and a counter that says whose turn it is. The same counter with what else people
// write into such a loop: fences, pauses, barriers of the compiler, calls that let others run,
// locks. An address that is waited for.
// Supports: pipelines of threads that wait by `flush` alone
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { Columns = 6, Rows = 5 };
static double grid[Rows][Columns];
static int flag[Columns];

static void sweep(int k, const double *w) {
#pragma omp for schedule(static) nowait
  for (int i = 0; i < Columns; i++) {
    if (i != 0)
      while (flag[i - 1] == 0) {
#pragma omp flush
      }
    if (i != Columns - 1)
      while (flag[i] == 1) {
#pragma omp flush
        sched_yield();
      }
    grid[k][i] = grid[k][i] * w[i] + grid[k - 1][i] * (i ? grid[k][i - 1] : 1);
#pragma omp flush
    if (i != 0)
      flag[i - 1] = 0;
    if (i != Columns - 1)
      flag[i] = 1;
#pragma omp flush
  }
}
static double columns(const double *x, const double *w) {
  double s = 0;
  for (int i = 0; i < Columns; i++)
    flag[i] = 0;
  for (int i = 0; i < Rows * Columns; i++)
    grid[i / Columns][i % Columns] = x[i % 7];
#pragma omp parallel
  for (int k = 1; k < Rows; k++)
    sweep(k, w);
  for (int i = 0; i < Columns; i++)
    s += grid[Rows - 1][i] * grid[2][i];
  return s;
}

__attribute__((noinline)) static void fromLeft(int me, long *ready) {
  if (me == 0)
    return;
  while (ready[me - 1] == 0) {
#pragma omp flush
  }
  ready[me - 1] = 0;
#pragma omp flush
}
__attribute__((noinline)) static void toRight(int me, int last, long *ready) {
#pragma omp flush
  if (me == last)
    return;
  while (ready[me] == 1) {
#pragma omp flush
  }
  ready[me] = 1;
#pragma omp flush
}
static double neighbours(const double *x, int n) {
  long ready[64] = {0};
  double v[Rows][16];
  for (int i = 0; i < n; i++)
    for (int k = 0; k < Rows; k++)
      v[k][i] = x[(i + k) % n];
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), last = omp_get_num_threads() - 1;
    for (int k = 1; k < Rows; k++) {
      fromLeft(me, ready);
#pragma omp for schedule(static) nowait
      for (int i = 1; i < n; i++)
        v[k][i] = v[k][i - 1] * v[k - 1][i] + v[k][i];
      toRight(me, last, ready);
    }
  }
  return v[Rows - 1][n - 1] * v[2][n - 2];
}

static void inTurn(const double *x, double *y, int n) {
  int turn = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = me; i < n; i += all) {
      const double own = x[i] * x[i];
      while (1) {
#pragma omp flush
        if (turn == i)
          break;
      }
      y[i] = own * (i ? y[i - 1] : 1) + own;
#pragma omp flush
      turn = i + 1;
#pragma omp flush
    }
  }
}

__attribute__((noinline)) static void post(int *turn, int next) { *turn = next; }

/// The store is in a function that does not flush itself.
static void posted(const double *x, double *y, int n) {
  int turn = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = me; i < n; i += all) {
      while (1) {
#pragma omp flush
        if (turn == i)
          break;
      }
      y[i] = x[i] * (i ? y[i - 1] : 1) + x[i];
#pragma omp flush
      post(&turn, i + 1);
#pragma omp flush
    }
  }
}

#define COMPILER_BARRIER __asm__ volatile("" ::: "memory")
#if defined(__x86_64__)
#define PAUSE __builtin_ia32_pause()
#else
#define PAUSE COMPILER_BARRIER
#endif

/// Wait is all that the loop does, Between keeps the store behind what was done before.
#define WAITING(Name, Wait, Between)                                                               \
  static int Name##Turn;                                                                           \
  static double Name(const double *x, double *y, int n) {                                          \
    double s = 0, last = x[0];                                                                     \
    Name##Turn = 0;                                                                                \
    _Pragma("omp parallel reduction(+ : s)") {                                                     \
      const int me = omp_get_thread_num(), all = omp_get_num_threads();                            \
      for (int i = me; i < n; i += all) {                                                          \
        while (Name##Turn != i)                                                                    \
          Wait;                                                                                    \
        last = sin(last * x[i]) + y[i];                                                            \
        y[i] = last * last;                                                                        \
        s += last;                                                                                 \
        Between;                                                                                   \
        Name##Turn = i + 1;                                                                        \
      }                                                                                            \
    }                                                                                              \
    return s * last;                                                                               \
  }                                                                                                \
  GRADIENT_CHECK(flush_##Name, Double, Name, In(double, 9), InOut(double, 9), Int(9))

WAITING(pausing, PAUSE, __sync_synchronize())
WAITING(clobbering, COMPILER_BARRIER, COMPILER_BARRIER)
WAITING(fencing, __sync_synchronize(), __sync_synchronize())
WAITING(acquiring, atomic_thread_fence(memory_order_acquire),
        atomic_thread_fence(memory_order_release))
WAITING(yielding, sched_yield(), __sync_synchronize())
WAITING(sleeping, usleep(1), __sync_synchronize())

static omp_lock_t turnstile;
WAITING(locking, (omp_set_lock(&turnstile), omp_unset_lock(&turnstile)), __sync_synchronize())

/// The turn is a variable of the function, behind a pointer for its threads: the empty statement of
/// assembly is all that says that it is waited for.
static double clobberingOwn(const double *x, double *y, int n) {
  int turn = 0;
  double s = 0, last = x[0];
#pragma omp parallel reduction(+ : s)
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = me; i < n; i += all) {
      while (turn != i)
        COMPILER_BARRIER;
      last = sin(last * x[i]) + y[i];
      y[i] = last * last;
      s += last;
      COMPILER_BARRIER;
      turn = i + 1;
    }
  }
  return s * last;
}
GRADIENT_CHECK(flush_clobberingOwn, Double, clobberingOwn, In(double, 9), InOut(double, 9), Int(9))

/// A letter is there when its address is; who waits looks at it in a function, without
/// optimisation.
struct letter {
  double value;
  struct letter *next;
};
static struct letter *box[9];

static int isEmpty(struct letter **place) { return *place == 0; }

static void rest(void) {
  PAUSE;
  sched_yield();
}

static double letters(const double *x, double *y, int n) {
  struct letter own[9];
  double s = 0;
  for (int i = 0; i < n; i++)
    box[i] = 0;
#pragma omp parallel reduction(+ : s)
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = me; i < n; i += all) {
      if (i)
        while (isEmpty(&box[i - 1]))
          rest();
      own[i].next = i ? box[i - 1] : 0;
      own[i].value = i ? sin(own[i].next->value * x[i]) + y[i] : x[0];
      s += own[i].value;
      __sync_synchronize();
      box[i] = &own[i];
    }
  }
  for (int i = 0; i < n; i++)
    y[i] = own[i].value;
  return s;
}

GRADIENT_CHECK(flush_letters, Double, letters, In(double, 9), InOut(double, 9), Int(9))
GRADIENT_CHECK(flush_columns, Double, columns, In(double, 7), In(double, 6))
GRADIENT_CHECK(flush_neighbours, Double, neighbours, In(double, 9), Int(9))
GRADIENT_CHECK(flush_turns, Void, inTurn, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(flush_posted, Void, posted, In(double, 9), Out(double, 9), Int(9))
