// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A five-point stencil on a grid, several steps, the second grid on the heap.
#include "GradientCheck.h"
#include <stdlib.h>

static double diffuse(double *u, const double *k, int nx, int ny, int steps) {
  double *v = malloc(sizeof *v * nx * ny);
  for (int i = 0; i < nx * ny; i++)
    v[i] = u[i];
  for (int s = 0; s < steps; s++) {
    for (int j = 1; j < ny - 1; j++)
      for (int i = 1; i < nx - 1; i++) {
        int c = j * nx + i;
        v[c] = u[c] + 0.1 * k[c] * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx] - 4 * u[c]);
      }
    for (int i = 0; i < nx * ny; i++)
      u[i] = v[i] * (1 - 0.01 * v[i]);
  }
  double sum = 0;
  for (int i = 0; i < nx * ny; i++)
    sum += u[i] * u[i];
  free(v);
  return sum;
}

GRADIENT_CHECK(stencil_2d, Double, diffuse, InOut(double, 30), In(double, 30), Int(6), Int(5),
               Int(3))
