// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A QR factorisation by rotations, skipping small entries.
#include "GradientCheck.h"
#include <math.h>

static double rotate(double *a, int n) {
  for (int j = 0; j < n; j++)
    for (int i = n - 1; i > j; i--) {
      double x = a[(i - 1) * n + j], y = a[i * n + j];
      if (fabs(y) < 0.05)
        continue;
      double r = hypot(x, y), c = x / r, s = y / r;
      for (int k = j; k < n; k++) {
        double top = a[(i - 1) * n + k], bottom = a[i * n + k];
        a[(i - 1) * n + k] = c * top + s * bottom;
        a[i * n + k] = c * bottom - s * top;
      }
    }
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += log(fabs(a[i * n + i]) + 0.5);
  return sum;
}

static double qr(double *a, int n) {
  for (int i = 0; i < n; i++)
    a[i * n + i] += 2 + i;
  return rotate(a, n);
}

GRADIENT_CHECK(givens, Double, qr, InOut(double, 16), Int(4))
