// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adjoints in three directions of functions with regions: the second and third one are multiples of
// the first, and memory is as after one call of the primal. What threads write is taken back
// between the directions.
// Supports: adjoints in several directions of regions, with tasks, atomic updates, `copyprivate` and cancelling
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { n = 12 };

#include "Directions.h"

static void directions_steps(double *x, double *y) {
  for (int step = 0; step < 3; step++) {
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp for
      for (int i = 0; i < n; i++)
        y[i] = x[i] + 0.1 * x[(i + 1) % n] * x[(i + n - 1) % n];
#pragma omp for schedule(dynamic, 2)
      for (int i = 0; i < n; i++) {
        x[i] = sin(y[i]);
        sum += x[i] * x[i];
      }
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] *= sum / n;
  }
}
DIRECTIONS(directions_steps)

/// Each thread uses its part of memory for every iteration again; a variable of the file is kept.
static void directions_order(double *x, double *y) {
  static double scratch[64][3], last;
  last = 0;
  memset(y, 0, n * sizeof *y);
#pragma omp parallel num_threads(3)
  {
    double *mine = scratch[omp_get_thread_num()];
#pragma omp for
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < 3; k++)
        mine[k] = x[i] * x[(i + k) % n];
#pragma omp critical
      {
        last += mine[0];
        y[i % 3] += mine[1] * mine[2];
      }
    }
#pragma omp single
    y[3] = y[0] * y[1] * last;
#pragma omp for ordered
    for (int i = 4; i < n; i++) {
#pragma omp ordered
      y[i] = y[i - 1] * x[i] + 0.1;
    }
#pragma omp master
    x[0] = y[n - 1] * x[1];
  }
}
DIRECTIONS(directions_order)

/// A region inside another one, and one that may run alone.
static void directions_nested(double *x, double *y) {
  const int levels = omp_get_max_active_levels();
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < n; i++) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2) if (i % 2)
    for (int k = 0; k < n; k++)
      sum += x[k] * x[i];
    y[i] = sum * (levels > 0);
  }
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; i++)
    x[i] = y[i] * y[n - 1 - i];
}
DIRECTIONS(directions_nested)

/// Atomic updates of what belongs to the caller, in a function that regions call.
__attribute__((noinline)) static void spread(const double *x, double *y) {
#pragma omp for schedule(dynamic)
  for (int i = 0; i < n; i++) {
    const double v = sin(x[i]) * x[(i + 5) % n];
#pragma omp atomic
    y[i % 3] += v;
#pragma omp atomic
    y[3] += v * v;
  }
#pragma omp single
  y[4] = y[0] * y[1] + y[2] * y[3];
}
static void directions_atomic(double *x, double *y) {
  memset(y, 0, n * sizeof *y);
#pragma omp parallel
  {
    spread(x, y);
#pragma omp barrier
    spread(x, y);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    x[i] *= y[i % 5];
}
DIRECTIONS(directions_atomic)

/// Tasks that depend on others, and a tree of them.
static double halves(const double *x, int count) {
  if (count == 1)
    return x[0] * x[0];
  double low, high;
#pragma omp task shared(low)
  low = halves(x, count / 2);
#pragma omp task shared(high)
  high = halves(x + count / 2, count - count / 2);
#pragma omp taskwait
  return low + high * sin(low);
}
static void directions_tasks(double *x, double *y) {
  double whole = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; i++) {
#pragma omp task depend(out : y[i])
      y[i] = x[i] * x[(i + 1) % n];
      if (i > 0) {
#pragma omp task depend(in : y[i - 1]) depend(inout : y[i])
        y[i] += 0.5 * y[i] * y[i - 1];
      }
    }
#pragma omp taskwait
    whole = halves(y, n);
#pragma omp taskloop grainsize(3)
    for (int i = 0; i < n; i++)
      x[i] = y[i] * whole;
  }
}
DIRECTIONS(directions_tasks)

/// What one thread hands to the others; a loop that may be cancelled.
static void directions_handed(double *x, double *y) {
#pragma omp parallel
  {
    double pair[2];
#pragma omp single copyprivate(pair)
    {
      pair[0] = x[0] * x[1];
      pair[1] = sin(x[2]);
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
#pragma omp cancel for if (x[i] > 100)
      y[i] = x[i] * pair[i % 2];
    }
#pragma omp for
    for (int i = 0; i < n; i++)
      x[i] = y[n - 1 - i] * y[i];
  }
}
DIRECTIONS(directions_handed)

/// A lock that a thread may find set, and what the library is asked in the loop.
static void directions_tried(double *x, double *y) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  double sum = 1;
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; i++) {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    while (!omp_test_lock(&lock))
      ;
    sum *= 1 + 0.1 * x[i];
    omp_unset_lock(&lock);
    y[i] = chunk >= 0 ? x[i] * x[i] : 0;
  }
  omp_destroy_lock(&lock);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    x[i] *= y[n - 1 - i] * sum;
}
DIRECTIONS(directions_tried)

/// Integers of the program that threads update atomically; what they say is right once only.
static struct {
  int next, most;
  unsigned seen;
  volatile int done;
} state;

static void directions_counted(double *x, double *y) {
  state.next = state.most = state.done = 0;
  state.seen = 0;
#pragma omp parallel
  {
    for (;;) {
      int i;
#pragma omp atomic capture
      i = state.next++;
      if (i >= n)
        break;
      y[i] = x[i] * x[(i + 1) % n];
#pragma omp atomic
      state.seen |= 1U << i;
#pragma omp atomic compare
      if (state.most < i) {
        state.most = i;
      }
    }
  }
  state.done = state.most;
  const int all = state.seen == (1U << n) - 1 && state.done == n - 1;
  for (int i = 0; i < n; i++)
    x[i] *= all ? y[n - 1 - i] : 0;
}
DIRECTIONS(directions_counted)

/// Tasks of which all but one read nothing of what they were given.
static void directions_first(double *x, double *y) {
  double sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  {
    for (int i = 0; i < 6; i++)
#pragma omp task shared(sum)
    {
      if (i == 0) {
#pragma omp atomic
        sum += x[i] * x[n - 1];
      }
#pragma omp cancel taskgroup if (i == n)
    }
  }
  for (int i = 0; i < n; i++)
    y[i] = x[i] * sum;
}
DIRECTIONS(directions_first)

/// Heap memory, by functions of the program's own declaration.
static void directions_room(double *x, double *y) {
  double *room = calloc(n, sizeof *room);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    room[i] += x[i] * x[(i + 3) % n];
  for (int i = 0; i < n; i++)
    y[i] = room[i] * room[0];
  free(room);
}
DIRECTIONS(directions_room)

/// A row that each piece of the loop has for itself, beside the addresses of what all share.
static void directions_rows(double *x, double *y) {
  double row[4];
#pragma omp parallel
#pragma omp single
#pragma omp taskloop private(row)
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 4; j++)
      row[j] = x[4 * i + j] * x[j];
    for (int j = 0; j < 4; j++)
      y[4 * i + j] = row[3 - j] + row[i] * row[0];
  }
}
DIRECTIONS(directions_rows)

/// Arrays of the file that change places: what the pointers were comes back with the numbers.
static struct {
  double *from, *to;
} places;
static void directions_places(double *x, double *y) {
  double room[n];
  places.from = x;
  places.to = room;
  for (int step = 0; step < 3; step++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      places.to[i] = places.from[i] * places.from[(i + 1) % n];
    double *const kept = places.from;
    places.from = places.to;
    places.to = kept;
  }
  for (int i = 0; i < n; i++)
    y[i] = places.from[i] * x[i];
}
DIRECTIONS(directions_places)

/// Memory that a variable of the file leads to is as it was when the second direction begins.
static unsigned *dice;
static void throw_dice(double *x, double *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    dice[i] = dice[i] * 5 + 3;
    y[i] = x[i] * x[i] * (dice[i] % 7);
  }
}
DIRECTIONS_OF(throw_dice)
static double dice_primal(void *const *v) {
  unsigned own[n] = {1, 2, 3};
  dice = own;
  return throw_dice_primal(v);
}
static double dice_tangent(void *const *v, void *const *d) {
  unsigned own[n] = {1, 2, 3};
  dice = own;
  return throw_dice_tangent(v, d);
}
static void dice_adjoint(void *const *v, void *const *d) {
  unsigned own[n] = {1, 2, 3};
  dice = own;
  throw_dice_adjoint(v, d);
}
GRADIENT_CHECK_CUSTOM(directions_dice, Void, dice_primal, dice_tangent, dice_adjoint,
                      InOut(double, n), Out(double, n))

/// A function that calls itself, in front of a region and in it, takes a lock of its own.
static int visits;
static void halve(const double *x, double *y, int from, int to) {
  if (to - from > 1) {
    halve(x, y, from, (from + to) / 2);
    halve(x, y, (from + to) / 2, to);
  } else {
#pragma omp critical(visits)
    visits++;
    y[from] += x[from] * x[from] * (to - from);
  }
}
static void directions_halves(double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = 0;
  halve(x, y, 0, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    halve(x, y, i, i + 1);
}
DIRECTIONS(directions_halves)
