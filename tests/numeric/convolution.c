// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A direct convolution with clipped bounds, and one with a stride.
#include "GradientCheck.h"

static void convolve(const double *x, const double *k, double *y, int n, int m) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = -m; j <= m; j++)
      if (i + j >= 0 && i + j < n)
        y[i] += k[j + m] * x[i + j];
  }
}

static void pool(const double *x, const double *k, double *y, int n, int stride) {
  for (int o = 0, i = 0; i + 3 <= n; i += stride, o++) {
    double acc = 0;
    for (int j = 0; j < 3; j++)
      acc += k[j] * x[i + j] * x[i + j];
    y[o] = acc > 2 ? acc : 0.1 * acc;
  }
}

GRADIENT_CHECK(convolution, Void, convolve, In(double, 10), In(double, 5), Out(double, 10), Int(10),
               Int(2))
GRADIENT_CHECK(convolution_strided, Void, pool, In(double, 11), In(double, 3), Out(double, 5),
               Int(11), Int(2))
