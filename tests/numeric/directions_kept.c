// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Supports: adjoints in several directions of functions that keep, replace and free memory
//
// What global variables and objects of the caller lead to is as before when the next direction
// begins; what is freed on the way is still there.
enum { n = 6 };
#include "Directions.h"

#include <stdlib.h>
#include <string.h>

// Nodes that a global variable leads to live for one call.
typedef struct Node {
  struct Node *next;
  double value;
  int id;
} Node;
static Node *first;

static void push(double value, int id) {
  Node *node = malloc(sizeof *node);
  node->next = first;
  node->value = value;
  node->id = id;
  first = node;
}
static double popped(void) {
  Node *node = first;
  const double value = node->value * node->id;
  first = node->next;
  free(node);
  return value;
}
static void stack(double *x, double *y) {
  for (int i = 0; i < n; i++) {
    push(x[i] * x[(i + 1) % n], i);
    if (i % 3 == 2)
      push(sin(x[i]), 7);
  }
  for (int i = 0; i < n; i++)
    y[i] = popped();
  while (first)
    x[0] *= 1 + 0.1 * popped();
}
DIRECTIONS(stack)

// A buffer is made when it is first wanted, and stays.
static double *work;
static void cached(double *x, double *y) {
  if (!work)
    work = malloc(n * sizeof *work);
  for (int i = 0; i < n; i++)
    work[i] = x[i] * x[i];
  for (int i = 0; i < n; i++)
    y[i] = work[i] * work[n - 1 - i];
  x[0] = work[2];
}
DIRECTIONS(cached)

// Each call ends what the last one has left, and leaves as much.
static double *left;
static int *counts;
static void replaced(double *x, double *y) {
  free(left);
  left = calloc(n, sizeof *left);
  free(counts);
  counts = malloc(n * sizeof *counts);
  for (int i = 0; i < n; i++) {
    counts[i] = (5 * i + 2) % n;
    left[i] = x[i] * (i + 1);
  }
  for (int i = 0; i < n; i++)
    y[i] = left[counts[i]] * x[i] + left[i] * left[i];
}
DIRECTIONS(replaced)

// Arrays that grow, of numbers and of integers; the program sees the last ones.
static struct {
  double *values;
  int *ids, count, room;
} bag;
static void add(double value) {
  if (bag.count == bag.room) {
    bag.room = bag.room ? 2 * bag.room : 1;
    bag.values = realloc(bag.values, bag.room * sizeof *bag.values);
    bag.ids = realloc(bag.ids, bag.room * sizeof *bag.ids);
  }
  bag.ids[bag.count] = bag.count % n;
  bag.values[bag.count++] = value;
}
static void grown(double *x, double *y) {
  bag.count = 0;
  bag.room = bag.room > 4 ? 1 : bag.room;
  for (int i = 0; i < 2 * n; i++)
    add(x[i % n] * x[(i + 2) % n]);
  for (int i = 0; i < n; i++)
    y[i] = bag.values[i] * bag.values[n + bag.ids[i]];
}
DIRECTIONS(grown)

// Two buffers of a state change places.
static double one[n], two[n];
static struct {
  double *now, *next;
  double **row;
} state = {one, two, &state.now};
static void exchanged(double *x, double *y) {
  memcpy(state.now, x, sizeof one);
  for (int t = 0; t < 3; t++) {
    for (int i = 0; i < n; i++)
      state.next[i] = sin((*state.row)[i]) + state.now[(i + 1) % n] * 0.5;
    double *was = state.now;
    state.now = state.next;
    state.next = was;
  }
  memcpy(y, state.now, sizeof one);
}
DIRECTIONS(exchanged)

// The caller's object gets another part, and the old one ends.
typedef struct {
  double *part;
  int size;
} Holder;
static void refill(Holder *h, const double *x, int size) {
  double *part = malloc(size * sizeof *part);
  for (int i = 0; i < size; i++)
    part[i] = x[i] * x[i] + (i < h->size ? 0.5 * h->part[i] * x[i] : 0);
  free(h->part);
  h->part = part;
  h->size = size;
}
static Holder *made(const double *x) {
  Holder *h = malloc(sizeof *h);
  h->size = n;
  h->part = malloc(n * sizeof *h->part);
  memcpy(h->part, x, n * sizeof *x);
  return h;
}
static void holders(Holder *h, double *x, double *y) {
  refill(h, x, n);
  refill(h, x, n - 1);
  for (int i = 0; i < n; i++)
    y[i] = h->part[i % h->size] * x[i];
}
static void drop(Holder *h) {
  free(h->part);
  free(h);
}
static double holders_primal(void *const *v) {
  Holder *h = made((double *)v[0]);
  holders(h, (double *)v[0], (double *)v[1]);
  drop(h);
  return 0;
}
static double holders_tangent(void *const *v, void *const *d) {
  Holder *h = made((double *)v[0]), *t = made((double *)d[0]);
  __enzyme_fwddiff_direction((void *)holders, enzyme_dup, h, t, enzyme_dup, (double *)v[0],
                             (double *)d[0], enzyme_dup, (double *)v[1], (double *)d[1]);
  drop(h);
  drop(t);
  return 0;
}
static void holders_adjoint(void *const *v, void *const *d) {
  static const double zeros[n];
  double x[3][n], y[3][n];
  seeds(x, (double *)d[0]);
  seeds(y, (double *)d[1]);
  Holder *h = made((double *)v[0]), *bars[3];
  double *parts[3];
  for (int lane = 0; lane < 3; lane++) {
    bars[lane] = made(zeros);
    parts[lane] = bars[lane]->part;
  }
  __enzyme_autodiff_directions((void *)holders, enzyme_width, 3, enzyme_dup, h, bars[0], bars[1],
                               bars[2], enzyme_dup, (double *)v[0], x[0], x[1], x[2], enzyme_dup,
                               (double *)v[1], y[0], y[1], y[2]);
  int same = h->size == n - 1;
  for (int i = 0; i < n; i++) // what h was made of
    for (int lane = 0; lane < 3; lane++)
      x[lane][i] += parts[lane][i];
  for (int i = 0; i < n - 1; i++)
    same &= isfinite(h->part[i]);
  drop(h);
  compare((double *)d[0], x);
  compare((double *)d[1], y);
  if (!same)
    ((double *)d[0])[0] = NAN;
}
GRADIENT_CHECK_CUSTOM(holders, Void, holders_primal, holders_tangent, holders_adjoint,
                      InOut(double, n), Out(double, n))

// Words that nothing but the way they go says anything about.
static void swapped(double *x, double *y) {
  char word[8];
  memcpy(word, x, 8);
  memcpy(x, x + 1, 8);
  memcpy(x + 1, word, 8);
  memcpy(y, x + 2, n * 8 - 16);
  memset(y + 4, 0, 16);
}
DIRECTIONS(swapped)
