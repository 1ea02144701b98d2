// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A radix-2 transform by recursion, with buffers on the heap at every level.
// Supports: complex numbers
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>

static void transform(double *re, double *im, int n) {
  if (n == 1)
    return;
  double *buffer = malloc(2 * n * sizeof *buffer);
  double *er = buffer, *or = er + n / 2, *ei = or + n / 2, *oi = ei + n / 2;
  for (int i = 0; i < n / 2; i++) {
    er[i] = re[2 * i];
    or[i] = re[2 * i + 1];
    ei[i] = im[2 * i];
    oi[i] = im[2 * i + 1];
  }
  transform(er, ei, n / 2);
  transform(or, oi, n / 2);
  for (int k = 0; k < n / 2; k++) {
    double c = cos(6.283185307179586 * k / n), s = -sin(6.283185307179586 * k / n);
    double tr = c * or[k] - s * oi[k], ti = c * oi[k] + s * or[k];
    re[k] = er[k] + tr;
    im[k] = ei[k] + ti;
    re[k + n / 2] = er[k] - tr;
    im[k + n / 2] = ei[k] - ti;
  }
  free(buffer);
}

static double spectrum(double *re, double *im, int n) {
  transform(re, im, n);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += sqrt(re[i] * re[i] + im[i] * im[i]) * i;
  return sum;
}

GRADIENT_CHECK(fft_recursive, Double, spectrum, InOut(double, 8), InOut(double, 8), Int(8))
