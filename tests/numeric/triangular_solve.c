// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Back substitution with several right-hand sides.
#include "GradientCheck.h"

static void solveUpper(const double *u, const double *b, double *x, int n, int m) {
  for (int r = 0; r < m; r++)
    for (int i = n - 1; i >= 0; i--) {
      double sum = b[r * n + i];
      for (int j = i + 1; j < n; j++)
        sum -= u[i * n + j] * x[r * n + j];
      x[r * n + i] = sum / (1 + u[i * n + i]);
    }
}

GRADIENT_CHECK(triangular_solve, Void, solveUpper, In(double, 16), In(double, 8), Out(double, 8),
               Int(4), Int(2))
