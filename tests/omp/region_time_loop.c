// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One region around the whole time loop, the swap done by every thread on its own pointers.
// Supports: nested regions, regions in loops and in called functions
#include "GradientCheck.h"

static void march(double *a, double *b, int n, int steps) {
#pragma omp parallel
  {
    double *u = a, *v = b;
    for (int s = 0; s < steps; s++) {
#pragma omp for
      for (int i = 0; i < n; i++)
        v[i] = 0.5 * u[i] * u[i == 0 ? n - 1 : i - 1] + 0.3 * u[i == n - 1 ? 0 : i + 1];
      double *t = u;
      u = v;
      v = t;
    }
  }
}

GRADIENT_CHECK(region_time_loop, Void, march, InOut(double, 22), InOut(double, 22), Int(22), Int(4))

// A table that the region makes and reads from then on is found there by the reverse sweep; one
// that it changes while it reads, or with no barrier behind the last change, is not.
static double with_tables(const double *x, int n, int steps, int change) {
  static long at[22];
  static double table[22], value[22];
  double sum = 0;
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      at[i] = (i * 7 + 3) % n;
#pragma omp for
    for (int i = 0; i < n; i++) {
      table[i] = 1.0 + 0.3 * x[i];
      value[i] = x[i];
    }
    for (int s = 0; s < steps; s++) {
#pragma omp for
      for (int i = 0; i < n; i++)
        value[i] += table[i] * table[at[i]] * value[i];
      if (s < change) {
#pragma omp single
        at[0] = (at[0] + 1) % n;
#pragma omp for
        for (int i = 0; i < n; i++)
          table[i] *= 0.5 * table[i];
      }
    }
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < n; i++)
      sum += value[i] * table[i];
  }
  return sum;
}

static double unchanged_tables(const double *x, int n, int steps) {
  return with_tables(x, n, steps, 0);
}

GRADIENT_CHECK(region_tables, Double, with_tables, In(double, 22), Int(22), Int(4), Int(2))
GRADIENT_CHECK(region_unchanged_tables, Double, unchanged_tables, In(double, 22), Int(22), Int(4))

// The same with one region in each step, and changes in between: in front of it or behind it.
static double regions_of_tables(const double *x, int n, int steps, int change) {
  static double table[22], value[22];
  double sum = 0;
  for (int i = 0; i < n; i++) {
    table[i] = 1.0 + 0.3 * x[i];
    value[i] = x[i];
  }
  for (int s = 0; s < steps; s++) {
    if (s < change)
      table[s] = 0.5 * table[s + 1];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      value[i] += table[i] * table[(i * 7 + 3) % n] * value[i];
    if (s < change)
      table[s + 1] = 0.25;
  }
  for (int i = 0; i < n; i++)
    sum += value[i] * table[i];
  return sum;
}

static double regions_of_one_table(const double *x, int n, int steps) {
  return regions_of_tables(x, n, steps, 0);
}

GRADIENT_CHECK(changed_between_regions, Double, regions_of_tables, In(double, 22), Int(22), Int(4),
               Int(3))
GRADIENT_CHECK(unchanged_between_regions, Double, regions_of_one_table, In(double, 22), Int(22),
               Int(4))
