// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classical fourth-order method for the Lorenz system.
#include "GradientCheck.h"

static void slope(const double *s, const double *p, double *d) {
  d[0] = p[0] * (s[1] - s[0]);
  d[1] = s[0] * (p[1] - s[2]) - s[1];
  d[2] = s[0] * s[1] - p[2] * s[2];
}

static void step(double *s, const double *p, double h) {
  double k1[3], k2[3], k3[3], k4[3], t[3];
  slope(s, p, k1);
  for (int i = 0; i < 3; i++)
    t[i] = s[i] + 0.5 * h * k1[i];
  slope(t, p, k2);
  for (int i = 0; i < 3; i++)
    t[i] = s[i] + 0.5 * h * k2[i];
  slope(t, p, k3);
  for (int i = 0; i < 3; i++)
    t[i] = s[i] + h * k3[i];
  slope(t, p, k4);
  for (int i = 0; i < 3; i++)
    s[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
}

static void integrate(double *s, const double *p, double h, int steps) {
  for (int i = 0; i < steps; i++)
    step(s, p, h);
}

GRADIENT_CHECK(runge_kutta, Void, integrate, InOut(double, 3), In(double, 3),
               ScalarRange(double, 0.01, 0.02), Int(25))
