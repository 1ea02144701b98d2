// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Newton's method: the number of steps depends on the data.
// Supports: loops whose number of iterations depends on data
#include "GradientCheck.h"
#include <math.h>

static double root(double a, double b) {
  double x = a;
  int steps = 0;
  while (fabs(x * x * x - b * x - a) > 1e-13 && steps < 100) {
    x -= (x * x * x - b * x - a) / (3 * x * x - b);
    steps++;
  }
  return x;
}

static double sumOfRoots(const double *a, double b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += root(2 + a[i], b);
  return sum;
}

GRADIENT_CHECK(newton, Double, sumOfRoots, In(double, 5), Scalar(double), Int(5))
