// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gravity with leapfrog steps over positions and velocities in records of three.
#include "GradientCheck.h"
#include <math.h>

typedef struct {
  double x[3], v[3], m;
} Body;

static void accelerate(Body *b, int n, double dt) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      double d[3], r2 = 0.05;
      for (int k = 0; k < 3; k++) {
        d[k] = b[j].x[k] - b[i].x[k];
        r2 += d[k] * d[k];
      }
      double f = dt / (r2 * sqrt(r2));
      for (int k = 0; k < 3; k++) {
        b[i].v[k] += f * b[j].m * d[k];
        b[j].v[k] -= f * b[i].m * d[k];
      }
    }
}

static double simulate(double *state, double dt, int n, int steps) {
  Body *b = (Body *)state;
  for (int s = 0; s < steps; s++) {
    accelerate(b, n, dt);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 3; k++)
        b[i].x[k] += dt * b[i].v[k];
  }
  return b[0].x[0] * b[n - 1].v[2];
}

GRADIENT_CHECK(n_body, Double, simulate, InOut(double, 28), ScalarRange(double, 0.01, 0.02), Int(4),
               Int(4))
