// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose bodies have hundreds of statements: the derivative of an iteration is cut into
// several functions. Values go from one iteration to the next, an iteration may be the last, and
// loops and branches lie between the cuts.

#include "GradientCheck.h"
#include "ManyStatements.h"

#define STEP64(i)                                                                                  \
  STEP8(i)                                                                                         \
  STEP8((i) + 8)                                                                                   \
  STEP8((i) + 16) STEP8((i) + 24) STEP8((i) + 32) STEP8((i) + 40) STEP8((i) + 48) STEP8((i) + 56)

static double largeIteration(const double *x, double *y, int n) {
  double a = x[0], b = x[1], c[4] = {x[2], x[3], x[4], x[5]}, last = 0;
  for (int i = 0; i < n; ++i) {
    STEP64(0)
    if (a > b)
      a = 0.5 * a + b * y[i % 3];
    for (int k = 0; k < 3; ++k)
      y[k] = y[k] * 0.5 + a * c[k];
    STEP64(3)
    if (c[0] > 50)
      break;
    last = a * c[2] + 0.1 * last;
    STEP8(6)
    y[i % 3] += last * c[1];
  }
  return a + b * c[0] + c[1] + y[0] * y[1] + last;
}

GRADIENT_CHECK(large_iteration, Double, largeIteration, In(double, 7), InOut(double, 3), Int(5))

// The loop lies in another one, whose iterations end it early; cut where pieces are small.
static double largeInner(const double *x, const double *y, int n) {
  double a = x[0], b = x[1], c[4] = {x[2], x[3], x[4], x[5]}, sum = 0;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < 3; ++i) {
      STEP8(0)
      if (i == 2 && j % 2)
        break;
      sum += a * y[j] + c[i];
      STEP8(1)
      STEP8(2)
    }
    a = 0.5 * a + b;
  }
  return sum * a + b;
}

GRADIENT_CHECK(large_inner, Double, largeInner, In(double, 7), In(double, 4), Int(4))
