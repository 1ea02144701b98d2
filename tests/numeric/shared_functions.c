// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several requests lead to the same functions. Where there is much code (the configuration
// unplanned says so) they are not inlined but prepared once, and derivatives serve several
// requests.

#include "GradientCheck.h"
#include "ManyStatements.h"

static const double weights[4] = {0.3, 0.6, 0.2, 0.9};
static double memory[4]; // changes: requests have shadows of their own

static double lowest(const double *x, double a, double b) {
  double c[4] = {weights[0] * a, weights[1] * b, weights[2], weights[3]};
  STEP8(0)
  return a + b * c[0] + c[1] * c[2] + c[3];
}

static void update(const double *x, double *y, int n) {
  double a = x[0], b = x[1], c[4] = {x[2], x[3], x[4], x[5]};
  STEP8(1)
  for (int i = 0; i < n; ++i)
    y[i] = y[i] * c[i % 4] + lowest(x, y[i], b);
  y[0] += a;
}

static double recursive(const double *x, double a, int depth) {
  double b = x[depth % 7], c[4] = {a, b, a * b, 1};
  STEP8(2)
  if (depth > 0)
    a = recursive(x, a * c[1], depth - 1);
  return a * c[0] + b;
}

static double remembers(const double *x, double a) {
  double b = memory[1], *c = memory;
  STEP8(3)
  return a * b + memory[2];
}

static double first(const double *x, double *y, int n) {
  update(x, y, n);
  return lowest(x, y[0], y[1]) * recursive(x, y[2], 3);
}

static double second(const double *x, double *y, int n) {
  for (int i = 0; i < 2; ++i)
    update(x, y, n);
  return recursive(x, x[1], 2) + y[0];
}

static double third(const double *x, double *y) {
  for (int i = 0; i < 4; ++i)
    memory[i] = x[i] * weights[i];
  y[0] *= remembers(x, y[1]);
  return remembers(x, y[0]) + lowest(x, y[0], 0.5);
}

// Nothing is differentiated with respect to y: other derivatives of the same functions.
static double fourth(const double *x, const double *y, int n) {
  double z[3] = {y[0], y[1], y[2]}, sum = 0;
  update(y, z, n);
  for (int i = 0; i < 4; ++i)
    memory[i] = x[i] + z[i % 3];
  sum += remembers(y, x[0]) + lowest(y, x[1], z[0]);
  return sum + recursive(y, x[2], 2);
}

static double fifth(const double *x, double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += lowest(x, y[i], x[i]) * lowest(y, x[i], sum);
  return sum + recursive(x, y[0], 1);
}

GRADIENT_CHECK(shared_first, Double, first, In(double, 7), InOut(double, 3), Int(3))
GRADIENT_CHECK(shared_second, Double, second, In(double, 7), InOut(double, 3), Int(3))
GRADIENT_CHECK(shared_third, Double, third, In(double, 7), InOut(double, 3))
GRADIENT_CHECK(shared_fourth, Double, fourth, In(double, 7), Const(double, 7), Int(3))
GRADIENT_CHECK(shared_fifth, Double, fifth, In(double, 7), InOut(double, 7), Int(4))
