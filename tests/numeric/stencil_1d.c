// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time steps with two arrays and a pointer swap, linear and non-linear.
#include "GradientCheck.h"

static void heat(double *u, double *v, double k, int n, int steps) {
  for (int s = 0; s < steps; s++) {
    v[0] = u[0];
    v[n - 1] = u[n - 1];
    for (int i = 1; i < n - 1; i++)
      v[i] = u[i] + k * (u[i - 1] - 2 * u[i] + u[i + 1]);
    double *t = u;
    u = v;
    v = t;
  }
}

static void burgers(double *u, double *v, double k, int n, int steps) {
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++) {
      double left = u[i == 0 ? n - 1 : i - 1], right = u[i == n - 1 ? 0 : i + 1];
      v[i] = u[i] - k * u[i] * (right - left) + 0.1 * (left - 2 * u[i] + right);
    }
    double *t = u;
    u = v;
    v = t;
  }
}

GRADIENT_CHECK(stencil_1d, Void, heat, InOut(double, 10), InOut(double, 10),
               ScalarRange(double, 0.1, 0.3), Int(10), Int(5))
GRADIENT_CHECK(stencil_burgers, Void, burgers, InOut(double, 9), InOut(double, 9),
               ScalarRange(double, 0.05, 0.1), Int(9), Int(4))
