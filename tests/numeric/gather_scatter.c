// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A permutation computed in the function, gathers, scatters and a histogram.
#include "GradientCheck.h"

static double shuffle(const double *x, double *bins, int n) {
  int order[16];
  for (int i = 0; i < n; i++)
    order[i] = (7 * i + 3) % n;
  double y[16];
  for (int i = 0; i < n; i++)
    y[order[i]] = x[i] * x[order[n - 1 - i]];
  for (int i = 0; i < n; i++) {
    int bin = (int)(2 * x[i]);
    bins[bin] += y[i] * y[order[i]];
  }
  return bins[0] * bins[1];
}

GRADIENT_CHECK(gather_scatter, Double, shuffle, In(double, 10), InOut(double, 4), Int(10))
