// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cholesky factorisation, forward and backward substitution.
#include "GradientCheck.h"
#include <math.h>

static void factor(double *l, int n) {
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      l[j * n + j] -= l[j * n + k] * l[j * n + k];
    l[j * n + j] = sqrt(l[j * n + j]);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++)
        l[i * n + j] -= l[i * n + k] * l[j * n + k];
      l[i * n + j] /= l[j * n + j];
    }
  }
}

static void substitute(const double *l, double *b, int n) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++)
      b[i] -= l[i * n + k] * b[k];
    b[i] /= l[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      b[i] -= l[k * n + i] * b[k];
    b[i] /= l[i * n + i];
  }
}

static void solve(double *a, double *b, int n) {
  for (int i = 0; i < n; i++)
    a[i * n + i] += 2 * n;
  factor(a, n);
  substitute(a, b, n);
}

GRADIENT_CHECK(cholesky, Void, solve, InOut(double, 16), InOut(double, 4), Int(4))
