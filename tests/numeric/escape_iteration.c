// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A complex map iterated until it escapes, over a small grid.
// Supports: loops whose number of iterations depends on data
#include "GradientCheck.h"
#include <math.h>

static double escape(double re, double im, int limit) {
  double x = re, y = im, r = x * x + y * y;
  int k = 0;
  while (k < limit && r < 16) {
    double t = x * x - y * y + re;
    y = 2 * x * y + im;
    x = t;
    r = x * x + y * y;
    k++;
  }
  return k + 1 - log(0.5 * log(1 + r));
}

static double picture(double centre, double size, int n) {
  double sum = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      sum += escape(centre + size * i / n, size * j / n, 5);
  return sum;
}

GRADIENT_CHECK_BOUND(1e-11, escape_iteration, Double, picture, ScalarRange(double, -2, -1),
                     ScalarRange(double, 1, 2), Int(2))
