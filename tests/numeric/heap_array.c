// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// malloc and free around every iteration, and calloc whose zeros are used.
// Supports: stack, heap and variable-length arrays
#include "GradientCheck.h"
#include <stdlib.h>

static double work(const double *x, int n) {
  double *sum = calloc(n, sizeof *sum);
  for (int i = 0; i < n; i++) {
    double *local = malloc((i + 1) * sizeof *local);
    for (int j = 0; j <= i; j++)
      local[j] = x[j] * x[i];
    for (int j = 0; j <= i; j++)
      sum[j] += local[i - j] * local[j];
    free(local);
  }
  double total = 0;
  for (int i = 0; i < n; i++)
    total += sum[i] * x[n - 1 - i];
  free(sum);
  return total;
}

GRADIENT_CHECK(heap_array, Double, work, In(double, 6), Int(6))
