// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that do not run at all, or once, or not for some outer iterations.
// Supports: loops: nested, triangular, `while`, `do`, `break`, `continue`, zero trips, counters of any width
#include "GradientCheck.h"

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
