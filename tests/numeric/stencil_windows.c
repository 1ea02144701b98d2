// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that read several neighbours: next to each other, with gaps, summed or weighed, of few
// iterations, of two types, beside integers that must stay as they are.
#include "GradientCheck.h"

/// The neighbours left and right but not the one between.
static void central(const double *u, double *v, int n) {
  for (int i = 1; i < n - 1; i++)
    v[i] = (u[i + 1] - u[i - 1]) * u[i + 1];
}

static void fourthOrder(const double *u, const double *w, double *v, int n) {
  for (int i = 2; i < n - 2; i++)
    v[i] = -u[i - 2] + 16 * u[i - 1] - 30 * u[i] + 16 * u[i + 1] - u[i + 2] + w[i - 1] * w[i + 1];
}

static void floats(const float *u, float *v, int n) {
  for (int i = 1; i < n - 1; i++)
    v[i] = 0.25f * (u[i - 1] + 2 * u[i] + u[i + 1]) + u[i] * u[i];
}

/// Nine points of three rows, of as many columns as there are left.
static double narrow(const double *u, double *v, int rows) {
  double sum = 0;
  for (int columns = 3; columns <= 5; columns++)
    for (int j = 1; j < rows - 1; j++) {
      for (int i = 1; i < columns - 1; i++) {
        const double *p = u + j * columns + i;
        v[j * columns + i] = 0.5 * p[0] + 0.1 * (p[-1] + p[1] + p[-columns] + p[columns]) +
                             0.02 * (p[-columns - 1] + p[-columns + 1] + p[columns - 1]) * p[0];
      }
      sum += v[j * columns + 1] * v[j * columns + columns - 2];
    }
  return sum;
}

struct Pair {
  double left[3];
  int marks[4];
  double right[3];
};

/// Between the numbers that are updated lie some that are no doubles.
static double besideMarks(const double *x, int n) {
  struct Pair p = {{x[0], x[1], x[2]}, {-1, 7, 1 << 30, -5}, {x[3], x[4], x[5]}};
  double out[3] = {0};
  for (int i = 0; i < n; i++)
    out[i] = p.left[i] * p.right[i];
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += out[i] * out[0];
  return p.marks[0] == -1 && p.marks[3] == -5 ? sum : 0;
}

/// The same summand twice, and a sum that has another use.
static double sharedSums(const double *u, double *v, int n) {
  double total = 0;
  for (int i = 1; i < n - 1; i++) {
    double both = u[i - 1] + u[i + 1];
    v[i] = both + u[i] + u[i];
    total += both * both;
  }
  return total;
}

/// Neighbours of constants beside a variable, more than once.
static double besideConstants(const double *c, const double *y, int n) {
  double sum = 0;
  for (int first = 0; first < n; first++)
    for (int i = first; i + 1 < n; i++)
      sum += __builtin_sin(c[i] * c[i + 1] - y[i + 1]) * c[first];
  return sum;
}

GRADIENT_CHECK(windows_central, Void, central, In(double, 12), InOut(double, 12), Int(12))
GRADIENT_CHECK(windows_one, Void, central, In(double, 3), InOut(double, 3), Int(3))
GRADIENT_CHECK(windows_fourth_order, Void, fourthOrder, In(double, 21), In(double, 21),
               InOut(double, 21), Int(21))
GRADIENT_CHECK(windows_floats, Void, floats, In(float, 23), InOut(float, 23), Int(23))
GRADIENT_CHECK(windows_narrow, Double, narrow, In(double, 30), InOut(double, 30), Int(6))
GRADIENT_CHECK(windows_beside_marks, Double, besideMarks, In(double, 6), Int(3))
GRADIENT_CHECK(windows_shared_sums, Double, sharedSums, In(double, 14), InOut(double, 14), Int(14))
GRADIENT_CHECK(windows_beside_constants, Double, besideConstants, Const(double, 9), In(double, 9),
               Int(9))
