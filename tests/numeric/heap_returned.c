// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory allocated in one function and freed in another.
#include "GradientCheck.h"
#include <stdlib.h>

__attribute__((noinline)) static double *squares(const double *x, int n) {
  double *y = malloc(n * sizeof *y);
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
  return y;
}

__attribute__((noinline)) static double consume(double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += y[i] * y[n - 1 - i];
  free(y);
  return sum;
}

static double both(const double *x, int n) {
  double *y = squares(x, n);
  y[0] *= y[1];
  return consume(y, n);
}

GRADIENT_CHECK(heap_returned, Double, both, In(double, 5), Int(5))
