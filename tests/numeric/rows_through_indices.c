// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a row begins and how wide it is is read from memory, for every row anew. What one row has
// read a later one writes, though in each of them what is read and what is written lie in turns.
#include "GradientCheck.h"

int rowBegins[] = {0, 1, 2};
unsigned short rowWidths[] = {2, 3, 5};

static double beginnings(double *x, int n, int m) {
  for (int i = 0; i < n; i++) {
    const int b = rowBegins[i];
    for (int k = 0; k < m; k++) {
      const double t = x[b + 2 * k];
      x[b + 2 * k + 1] += t * t * 0.5;
    }
  }
  double s = 0;
  for (int i = 0; i < 12; i++)
    s += x[i] * (i + 1);
  return s;
}

static double widths(double *x, int n, int m) {
  for (int i = 0; i < n; i++) {
    const int w = rowWidths[i];
    for (int k = 0; k < m; k++) {
      const double t = x[w * k];
      x[w * k + 1] += t * t * 0.5;
    }
  }
  double s = 0;
  for (int i = 0; i < 18; i++)
    s += x[i] * (i + 1);
  return s;
}

struct Row {
  double *at;
  int count;
};

static double pointers(double *x, int n, int m) {
  struct Row rows[4];
  for (int i = 0; i < n; i++)
    rows[i] = (struct Row){x + rowBegins[i], m};
  for (int i = 0; i < n; i++)
    for (int k = 0; k < rows[i].count; k++) {
      const double t = rows[i].at[2 * k];
      rows[i].at[2 * k + 1] *= 1 + t * t;
    }
  double s = 0;
  for (int i = 0; i < 18; i++)
    s += x[i] * x[i] * (i + 1);
  return s;
}

GRADIENT_CHECK(rows_begin_at, Double, beginnings, InOut(double, 12), Int(3), Int(4))
GRADIENT_CHECK(rows_of_widths, Double, widths, InOut(double, 18), Int(3), Int(4))
GRADIENT_CHECK(rows_by_pointers, Double, pointers, InOut(double, 18), Int(3), Int(3))
