// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix-vector products with a normalisation after each.
#include "GradientCheck.h"
#include <math.h>

static double largestEigenvalue(const double *a, double *v, int n, int steps) {
  double lambda = 0;
  for (int s = 0; s < steps; s++) {
    double w[8], norm = 0;
    for (int i = 0; i < n; i++) {
      w[i] = 0;
      for (int j = 0; j < n; j++)
        w[i] += (a[i * n + j] + a[j * n + i]) * v[j];
      norm += w[i] * w[i];
    }
    norm = sqrt(norm);
    lambda = norm;
    for (int i = 0; i < n; i++)
      v[i] = w[i] / norm;
  }
  return lambda;
}

GRADIENT_CHECK(power_iteration, Double, largestEigenvalue, In(double, 16), InOut(double, 4), Int(4),
               Int(6))
