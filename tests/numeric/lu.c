// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU factorisation in place without pivoting, and the determinant.
#include "GradientCheck.h"

static double luDeterminant(double *a, int n) {
  for (int k = 0; k < n; k++)
    a[k * n + k] += n;
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
  double det = 1;
  for (int k = 0; k < n; k++)
    det *= a[k * n + k] / n;
  return det;
}

GRADIENT_CHECK(lu, Double, luDeterminant, InOut(double, 25), Int(5))
