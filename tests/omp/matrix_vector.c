// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = A x: all threads read x; and y = A^T x, where each thread gathers.
#include "GradientCheck.h"

static void product(const double *a, const double *x, double *y, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < m; j++)
      sum += a[i * m + j] * x[j];
    y[i] = sum;
  }
}

static void transposed(const double *a, const double *x, double *y, int n, int m) {
#pragma omp parallel for
  for (int j = 0; j < m; j++) {
    y[j] = 0;
    for (int i = 0; i < n; i++)
      y[j] += a[i * m + j] * x[i] * x[i];
  }
}

GRADIENT_CHECK(matrix_vector, Void, product, In(double, 70), In(double, 7), Out(double, 10),
               Int(10), Int(7))
GRADIENT_CHECK(matrix_vector_transposed, Void, transposed, In(double, 70), In(double, 10),
               Out(double, 7), Int(10), Int(7))
