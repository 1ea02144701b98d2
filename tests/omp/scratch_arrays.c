// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that belong to a thread: on its stack, on the heap, and private copies.
#include "GradientCheck.h"
#include <stdlib.h>

static void scratch(const double *x, double *y, int n) {
  double window[3] = {1, 2, 3};
#pragma omp parallel firstprivate(window)
  {
    double *heap = malloc(4 * sizeof *heap);
#pragma omp for
    for (int i = 0; i < n; i++) {
      double stack[4];
      for (int k = 0; k < 4; k++) {
        stack[k] = x[(i + k) % n] * x[i];
        heap[k] = stack[k] * stack[k];
      }
      y[i] = heap[0] * stack[1] + heap[2] * stack[3] * window[i % 3];
    }
    free(heap);
  }
}

GRADIENT_CHECK(scratch_arrays, Void, scratch, In(double, 20), Out(double, 20), Int(20))
