// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that do not run at all, or once, or not for some outer iterations.
// Supports: loops: nested, triangular, `while`, `do`, `break`, `continue`, zero trips, counters of any width
#include "GradientCheck.h"

#include <math.h>
#include <stdlib.h>

static double maybe(const double *x, int n, int m) {
  double sum = 1;
  for (int i = 0; i < n; i++) {
    for (int j = i; j < m; j++)
      sum += sum * x[j];
    sum *= x[i];
  }
  return sum;
}

GRADIENT_CHECK(zero_trip_outer, Double, maybe, In(double, 4), Int(0), Int(4))
GRADIENT_CHECK(zero_trip_inner, Double, maybe, In(double, 4), Int(4), Int(0))
GRADIENT_CHECK(zero_trip_some, Double, maybe, In(double, 5), Int(5), Int(2))
GRADIENT_CHECK(one_trip, Double, maybe, In(double, 1), Int(1), Int(1))

/// A distance between pointers counts the steps of a loop that does not run where it is negative.
static void shift_later(double *begin, double *end) {
  if (end - begin > 16)
    for (double *p = begin + 16; p != end; ++p)
      for (double *q = p; q != begin && *q < q[-1]; --q) {
        const double v = *q;
        *q = q[-1];
        q[-1] = v;
      }
  else
    for (double *p = begin; p != end; ++p)
      *p *= *p;
}
static double in_rows(const double *x, int rows, int n) {
  double sum = 0;
  for (int r = 0; r < rows; ++r) {
    double row[32];
    for (int i = 0; i < n; ++i)
      row[i] = x[r * n + i];
    shift_later(row, row + n);
    for (int i = 0; i < n; ++i)
      sum += (i + 1) * row[i];
  }
  return sum;
}

GRADIENT_CHECK(zero_trip_pointers, Double, in_rows, In(double, 12), Int(3), Int(4))
GRADIENT_CHECK(some_trip_pointers, Double, in_rows, In(double, 40), Int(2), Int(20))

/// More steps than half of what the narrow counter counts, or than a product of narrow ones says.
static double wide_steps(const double *x, int n, int m) {
  if (n <= 0 || m <= 0)
    return 0;
  double s = x[0];
  for (long k = 0; k < (long)n * m; k += 65535)
    s = 0.5 * sin(s) * x[1] + 1e-10 * (double)k;
  return s;
}

static double unsigned_steps(const double *x, unsigned n) {
  double s = x[0];
  for (unsigned k = 0; k < n; k += 65535)
    s = 0.5 * sin(s) * x[1] + 1e-10 * k;
  return s;
}

GRADIENT_CHECK(wide_steps, Double, wide_steps, In(double, 2), Int(50000), Int(60000))
GRADIENT_CHECK(wide_steps_none, Double, wide_steps, In(double, 2), Int(-5), Int(60000))
GRADIENT_CHECK(unsigned_steps, Double, unsigned_steps, In(double, 2), Int((int)3000000000u))
GRADIENT_CHECK(unsigned_steps_none, Double, unsigned_steps, In(double, 2), Int(0))

/// Counts that are large numbers without a sign where the loops do not run.
static double narrow_starts(const double *x, int k, int rows) {
  const long c = k % 5 - 1;
  double s = x[0];
  for (int r = 0; r < rows; r++) {
    for (int i = 1; i < c - 1; i++)
      s = 0.5 * sin(s * x[i]);
    for (int i = c - 1; i >= 0; i -= 2)
      s = 0.5 * sin(s * x[i]) + x[3];
  }
  return s;
}

static double unsigned_ends(const double *x, unsigned n, int k, int rows) {
  const unsigned last = n - 1, c = k % 5 - 1;
  double s = x[0];
  for (int r = 0; r < rows; r++) {
    if (n >= 1)
      for (unsigned i = 0; i < last; i += 2)
        s = 0.5 * sin(s * x[i & 3]);
    if ((int)c > 0)
      for (unsigned i = 0; i < c - 1; i += 2)
        s = 0.5 * sin(s * x[i & 3]) + x[3];
  }
  return s;
}

struct Grid {
  unsigned ny;
  unsigned char nc;
};
static double members(const double *x, int n, int rows) {
  struct Grid *g = malloc(sizeof *g);
  g->ny = n > 0 ? n : 0;
  g->nc = n > 0 ? n : 0;
  double s = x[0];
  for (int r = 0; r < rows; r++) {
    for (unsigned char k = g->nc; k-- > 1;)
      s = 0.5 * sin(s * x[k & 3]);
    if (g->ny >= 2)
      for (unsigned j = 0; j <= g->ny - 2; j++)
        s = 0.5 * sin(s * x[j & 3]) + x[3];
  }
  free(g);
  return s;
}

GRADIENT_CHECK(narrow_starts_none, Double, narrow_starts, In(double, 4), Int(0), Int(3))
GRADIENT_CHECK(narrow_starts_some, Double, narrow_starts, In(double, 4), Int(4), Int(3))
GRADIENT_CHECK(unsigned_ends_none, Double, unsigned_ends, In(double, 4), Int(0), Int(1), Int(3))
GRADIENT_CHECK(unsigned_ends_some, Double, unsigned_ends, In(double, 4), Int(6), Int(9), Int(3))
GRADIENT_CHECK(counted_members_none, Double, members, In(double, 4), Int(0), Int(3))
GRADIENT_CHECK(counted_members_some, Double, members, In(double, 4), Int(4), Int(3))
