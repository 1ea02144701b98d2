// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils of one and two dimensions with a time loop and a pointer swap.
// Supports: stencils and footprints without atomics
#include "GradientCheck.h"

static void line(double *u, double *v, int n, int steps) {
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      v[i] = u[i] + 0.2 * u[i] * (u[i - 1] - 2 * u[i] + u[i + 1]);
    double *t = u;
    u = v;
    v = t;
  }
}

static double plane(double *u, double *v, const double *k, int nx, int ny, int steps) {
  double misfit = 0;
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for schedule(static)
    for (int j = 1; j < ny - 1; j++)
      for (int i = 1; i < nx - 1; i++) {
        int c = j * nx + i;
        v[c] = u[c] + 0.1 * k[c] * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx] - 4 * u[c]);
      }
    double *t = u;
    u = v;
    v = t;
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < nx * ny; i++)
      sum += u[i] * u[i];
    misfit += sum;
  }
  return misfit;
}

GRADIENT_CHECK(stencil_line, Void, line, InOut(double, 33), InOut(double, 33), Int(33), Int(5))
GRADIENT_CHECK(stencil_plane, Double, plane, InOut(double, 99), InOut(double, 99), In(double, 99),
               Int(9), Int(11), Int(4))
