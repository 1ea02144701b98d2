// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that a loop runs again and again. Where their arrays are the same each time, one check
// tells for all runs whether what is read may be written; where these change, or overlap, what was
// read is recorded.
// Supports: arrays that a region in a loop only reads are read again in reverse
#include "GradientCheck.h"

enum { n = 30, Steps = 5 };

static inline void add(double a, const double *x, double *y, int count) {
#pragma omp parallel for
  for (int i = 0; i < count; i++)
    y[i] = 0.8 * y[i] + a * x[i] * x[i] * y[i];
}

static void apart(double a, const double *x, double *y) {
  for (int s = 0; s < Steps; s++)
    add(a, x, y, n);
}

// The array that is read is the one that is written.
static void one_array(double a, double *x) {
  for (int s = 0; s < Steps; s++)
    add(a, x, x, n);
}

// Between one another's numbers.
static void between(double *x) {
  const double *even = x;
  double *odd = x + 1;
  for (int s = 0; s < Steps; s++) {
#pragma omp parallel for
    for (int i = 0; i < n / 2; i++)
      odd[2 * i] = 0.7 * odd[2 * i] * even[2 * i] + even[2 * i];
  }
}

// The first half of all that was written is what is read later.
static void moving_on(double *x) {
  for (int s = 0; s < Steps; s++)
    add(0.3, x + s * 4, x + (s + 1) * 4, 4);
}

// In some runs apart, in others not.
static void now_and_then(const double *y, double *x) {
  for (int s = 0; s < Steps; s++) {
    const double *from = s % 2 ? y : x;
    add(0.25, from, x, n);
  }
}

// Two arrays change places, and a third one does not.
static void swapped(double *u, double *v, const double *k) {
  for (int s = 0; s < Steps; s++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      v[i] = u[i] + k[i] * u[i] * (u[i - 1] - 2 * u[i] + u[i + 1]);
    double *t = u;
    u = v;
    v = t;
  }
}

// Fewer and fewer; and in pieces that begin elsewhere each time.
static void shrinking(const double *x, double *y) {
  for (int s = 0; s < Steps; s++)
    add(0.2, x, y, n - 3 * s);
}

static void wandering(const double *x, double *y) {
  int from = 0;
  for (int s = 0; s < Steps; s++) {
#pragma omp parallel for
    for (int i = from; i < from + 6; i++)
      y[i] = 0.8 * y[i] + x[i] * x[i] * y[n - 1 - i];
    from += s;
  }
}

// Another region, and the loop itself, change what is read.
static void changed_beside(double *x, double *y) {
  for (int s = 0; s < Steps; s++) {
    add(0.3, x, y, n);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] += 0.1 * y[i] * x[i];
    x[s] *= y[s + 1];
  }
}

// A variable that the region sets.
static void set_inside(const double *x, double *y, double *z) {
  double *to = y;
  for (int s = 0; s < Steps; s++) {
#pragma omp parallel
    {
#pragma omp for
      for (int i = 0; i < n; i++)
        to[i] = 0.9 * to[i] + 0.2 * x[i] * x[i];
#pragma omp single
      to = to == y ? z : y;
    }
  }
}

// Teams of several sizes; a loop around the loop; rows of a matrix.
static void teams(const double *x, double *y) {
  for (int r = 0; r < 2; r++)
    for (int s = 0; s < 3; s++) {
#pragma omp parallel for num_threads(1 + (r + s) % 3)
      for (int i = 0; i < n; i++)
        y[i] = 0.8 * y[i] * x[i] + x[i] * x[n - 1 - i];
    }
}

static void rows(const double *m, double *y, int side) {
  for (int s = 0; s < Steps; s++) {
#pragma omp parallel for schedule(static)
    for (int j = side - 1; j >= 0; j--)
      for (int i = 0; i < side; i++)
        y[j] += 0.05 * m[j * side + i] * m[j * side + i] * y[j];
  }
}

// Each thread has the loop to itself, on a row of its own.
static void own_rows(const double *x, double *y) {
  for (int s = 0; s < Steps; s++) {
#pragma omp parallel for
    for (int t = 0; t < 5; t++)
      for (int i = 0; i < 6; i++)
        y[t * 6 + i] = y[t * 6 + i] * 0.5 + x[t * 6 + i] * x[i] * y[t * 6 + i];
  }
}

// Pieces that are dealt out.
static void dealt(const double *x, double *y) {
  for (int s = 0; s < Steps; s++) {
#pragma omp parallel for schedule(dynamic, 3)
    for (int i = 0; i < n; i++)
      y[i] = 0.8 * y[i] + x[i] * x[i] * y[i];
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < n; i++)
      y[i] = 0.8 * y[i] + x[i] * x[i] * y[i];
  }
}

GRADIENT_CHECK(regions_apart, Void, apart, Scalar(double), In(double, n), InOut(double, n))
GRADIENT_CHECK(regions_one_array, Void, one_array, Scalar(double), InOut(double, n))
GRADIENT_CHECK(regions_between, Void, between, InOut(double, n))
GRADIENT_CHECK(regions_moving_on, Void, moving_on, InOut(double, n))
GRADIENT_CHECK(regions_now_and_then, Void, now_and_then, In(double, n), InOut(double, n))
GRADIENT_CHECK(regions_swapped, Void, swapped, InOut(double, n), InOut(double, n), In(double, n))
GRADIENT_CHECK(regions_shrinking, Void, shrinking, In(double, n), InOut(double, n))
GRADIENT_CHECK(regions_wandering, Void, wandering, In(double, n), InOut(double, n))
GRADIENT_CHECK(regions_changed_beside, Void, changed_beside, InOut(double, n), InOut(double, n))
GRADIENT_CHECK(regions_set_inside, Void, set_inside, In(double, n), InOut(double, n),
               InOut(double, n))
GRADIENT_CHECK(regions_teams, Void, teams, In(double, n), InOut(double, n))
GRADIENT_CHECK(regions_rows, Void, rows, In(double, 36), InOut(double, 6), Int(6))
GRADIENT_CHECK(regions_own_rows, Void, own_rows, In(double, n), InOut(double, n))
GRADIENT_CHECK(regions_dealt, Void, dealt, In(double, n), InOut(double, n))
