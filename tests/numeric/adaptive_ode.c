// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step size control: accepted and rejected steps, an unknown number of both.
// Supports: loops whose number of iterations depends on data
#include "GradientCheck.h"
#include <math.h>

static double slope(double y, double t, double a) { return a * y * cos(t) - 0.1 * y * y; }

static double integrate(double y, double a, double end) {
  double t = 0, h = 0.4;
  while (t < end) {
    if (t + h > end)
      h = end - t;
    double k1 = slope(y, t, a), k2 = slope(y + h * k1, t + h, a);
    double euler = y + h * k1, heun = y + 0.5 * h * (k1 + k2);
    if (fabs(heun - euler) > 2e-2) {
      h *= 0.5;
      continue;
    }
    y = heun;
    t += h;
    if (fabs(heun - euler) < 2e-3)
      h *= 1.5;
  }
  return y;
}

GRADIENT_CHECK(adaptive_ode, Double, integrate, Scalar(double), Scalar(double), ConstScalar(double))
