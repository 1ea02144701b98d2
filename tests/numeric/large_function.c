// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More than a thousand statements in a row, with branches and loops between them: the derivative is
// cut into several functions, and values, adjoints and pointers live across the cuts.

#include "GradientCheck.h"
#include "ManyStatements.h"

#define MIDDLE(i)                                                                                  \
  STEP8(i)                                                                                         \
  if (a > b)                                                                                       \
    a = 0.5 * a + b * y[(i) % 3];                                                                  \
  for (int k = 0; k < 3; ++k)                                                                      \
    y[k] = y[k] * 0.5 + a * c[k];
#define MIDDLE8(i)                                                                                 \
  MIDDLE(i)                                                                                        \
  MIDDLE((i) + 1)                                                                                  \
  MIDDLE((i) + 2) MIDDLE((i) + 3) MIDDLE((i) + 4) MIDDLE((i) + 5) MIDDLE((i) + 6) MIDDLE((i) + 7)

static double largeFunction(const double *x, double *y) {
  double a = x[0], b = x[1], c[4] = {x[2], x[3], x[4], x[5]};
  MIDDLE8(0)
  MIDDLE8(8)
  MIDDLE8(16)
  MIDDLE8(24)
  return a + b * c[0] + c[1] + y[0] * y[1];
}

GRADIENT_CHECK(large_function, Double, largeFunction, In(double, 7), InOut(double, 3))
