// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting active data, then a weighted sum of the order statistics.
#include "GradientCheck.h"

static double sortedSum(double *x, int n) {
  int swapped;
  do {
    swapped = 0;
    for (int i = 1; i < n; i++)
      if (x[i - 1] > x[i]) {
        double t = x[i];
        x[i] = x[i - 1];
        x[i - 1] = t;
        swapped = 1;
      }
  } while (swapped);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (i + 1) * x[i] * x[i];
  return sum;
}

GRADIENT_CHECK(bubble_sort, Double, sortedSum, InOut(double, 8), Int(8))
