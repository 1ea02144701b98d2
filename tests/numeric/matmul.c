// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three nested loops, and the same blocked.
#include "GradientCheck.h"

static void matmul(const double *a, const double *b, double *c, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

static int smaller(int a, int b) { return a < b ? a : b; }

static void matmulBlocked(const double *a, const double *b, double *c, int n, int block) {
  for (int i = 0; i < n * n; i++)
    c[i] = 0;
  for (int ii = 0; ii < n; ii += block)
    for (int kk = 0; kk < n; kk += block)
      for (int i = ii; i < smaller(ii + block, n); i++)
        for (int k = kk; k < smaller(kk + block, n); k++)
          for (int j = 0; j < n; j++)
            c[i * n + j] += a[i * n + k] * b[k * n + j];
}

GRADIENT_CHECK(matmul, Void, matmul, In(double, 25), In(double, 25), Out(double, 25), Int(5))
GRADIENT_CHECK(matmul_blocked, Void, matmulBlocked, In(double, 25), In(double, 25), Out(double, 25),
               Int(5), Int(2))
