// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// malloc and free around every iteration, calloc whose zeros are used, and posix_memalign.
// Supports: stack, heap and variable-length arrays
#define _POSIX_C_SOURCE 200112L
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

static double aligned(const double *x, int n) {
  double *first = NULL, *second = NULL, sum = 0;
  if (posix_memalign((void **)&first, 64, n * sizeof *first) != 0)
    return -1;
  const int error = posix_memalign((void **)&second, 32, n * sizeof *second);
  if (error)
    abort();
  for (int i = 0; i < n; i++)
    first[i] = x[i] * x[i];
  for (int i = 0; i < n; i++)
    second[i] = first[(i + 1) % n] * x[i];
  for (int i = 0; i < n; i++)
    sum += second[i] * first[i];
  free(first);
  free(second);
  return sum;
}
GRADIENT_CHECK(heap_aligned, Double, aligned, In(double, 6), Int(6))
