// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of branches, nested branches, short-circuit conditions.
// Supports: branches, `switch`, `goto`, early returns
#include "GradientCheck.h"
#include <math.h>

static double piece(double x, double y) {
  if (x < 0.6)
    return x * x * y;
  if (x < 0.9 && y > 0.7) {
    if (y > 1.2)
      return sin(x) * y;
    return x - y * y;
  } else if (x < 1.2 || y < 0.8) {
    double t = x;
    if (y > 1)
      t *= y;
    else
      t += exp(y);
    return t * t;
  }
  return x / y;
}

static double sumOfPieces(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += piece(x[i], y[i]);
  return sum;
}

GRADIENT_CHECK(if_chain, Double, sumOfPieces, In(double, 24), In(double, 24), Int(24))
