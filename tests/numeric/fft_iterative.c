// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The iterative transform: bit reversal, then log n passes in place.
#include "GradientCheck.h"
#include <math.h>

static void reorder(double *x, int n) {
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j)
      for (int k = 0; k < 2; k++) {
        double t = x[2 * i + k];
        x[2 * i + k] = x[2 * j + k];
        x[2 * j + k] = t;
      }
  }
}

static double fft(double *x, int n) {
  reorder(x, n);
  for (int len = 2; len <= n; len <<= 1)
    for (int i = 0; i < n; i += len)
      for (int k = 0; k < len / 2; k++) {
        double c = cos(-6.283185307179586 * k / len), s = sin(-6.283185307179586 * k / len);
        double *a = x + 2 * (i + k), *b = a + len;
        double re = b[0] * c - b[1] * s, im = b[0] * s + b[1] * c;
        b[0] = a[0] - re;
        b[1] = a[1] - im;
        a[0] += re;
        a[1] += im;
      }
  return x[2] * x[2] + x[3] * x[3];
}

GRADIENT_CHECK(fft_iterative, Double, fft, InOut(double, 32), Int(16))
