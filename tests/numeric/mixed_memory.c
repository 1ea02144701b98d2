// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs of floats, integers and pointers copied as bytes, swapped pointers, volatile, arguments
// that overlap, arrays of length zero, mutable globals.
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct item {
  int id;
  float weight;
  double value;
  double *link;
  char tag[3];
};

static double copies(double *x, int n) {
  struct item a[6], b[6];
  for (int i = 0; i < n; i++)
    a[i] = (struct item){i, 0.5f * i, x[i] * x[i], &x[(i + 1) % n], "ab"};
  memcpy(b, a, sizeof a);
  memmove(&b[1], &b[0], sizeof b[0]);
  struct item c = b[2];
  double s = 0;
  for (int i = 0; i < n; i++) {
    *b[i].link *= c.value;
    s += b[i].value * b[i].weight * *a[i].link + b[i].id;
  }
  return s;
}

static double swapped(const double *x, int n, int steps) {
  double *old = malloc(n * sizeof *old), *now = malloc(n * sizeof *now);
  memcpy(old, x, n * sizeof *old);
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++)
      now[i] = old[i] * old[(i + 1) % n] + x[i];
    double *t = old;
    old = now;
    now = t;
  }
  double r = old[0] * old[n - 1];
  free(old);
  free(now);
  return r;
}

static double volatiles(const double *x, int n) {
  volatile double v = 1;
  volatile int k = 2;
  for (int i = 0; i < n; i++) {
    v = v * x[i];
    if (k > 1)
      v += x[i] * k;
  }
  return v * v;
}

static double overlap(double *x, int n) {
  double *a = x, *b = x + 1;
  for (int i = 0; i + 1 < n; i++)
    b[i] = a[i] * b[i] + a[n - 1 - i];
  memmove(x + 2, x, (n - 2) * sizeof *x);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * x[i] * i;
  return s;
}

static double none(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; i++)
    s *= x[i];
  double empty[1];
  memcpy(empty, x, n * sizeof *x);
  return s;
}

static double counter;
static _Thread_local double history[4];
static double globals(const double *x, int n) {
  counter = 0;
  for (int i = 0; i < n; i++) {
    history[i % 4] = x[i] * (i > 0 ? history[(i - 1) % 4] : 1);
    counter += history[i % 4];
    if (i % 2)
      counter *= x[i];
  }
  return counter;
}

GRADIENT_CHECK(mixed_copies, Double, copies, InOut(double, 6), Int(6))
GRADIENT_CHECK(mixed_swapped, Double, swapped, In(double, 5), Int(5), Int(3))
GRADIENT_CHECK(mixed_volatile, Double, volatiles, In(double, 4), Int(4))
GRADIENT_CHECK(mixed_overlap, Double, overlap, InOut(double, 7), Int(7))
GRADIENT_CHECK(mixed_none, Double, none, In(double, 1), Int(0))
GRADIENT_CHECK(mixed_globals, Double, globals, In(double, 7), Int(7))
