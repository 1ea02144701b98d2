// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays whose scope has ended by the time the reverse sweep reads them, and arrays of run-time
// length: in a loop, in a recursive function, aligned, and of two dimensions.
// Supports: stack, heap and variable-length arrays
#include "GradientCheck.h"
#include <math.h>
#include <stdalign.h>

static double scopes(const double *x, int n) {
  double total = 0;
  {
    double left[8];
    for (int i = 0; i < n; i++)
      left[i] = x[i] * x[n - 1 - i];
    for (int i = 0; i < n; i++)
      total += left[(i * 3) % n] * left[i];
  }
  {
    double right[8];
    for (int i = 0; i < n; i++)
      right[n - 1 - i] = sin(x[i]);
    for (int i = 0; i < n; i++)
      total *= right[(i * 5) % n] + right[i] * right[i];
  }
  return total;
}

static double lengths(const double *x, int n) {
  double total = 0;
  for (int m = 1; m <= n; m++) {
    double rows[m][m + 1];
    for (int i = 0; i < m; i++)
      for (int j = 0; j <= m; j++)
        rows[i][j] = x[(i + j) % n] * x[i];
    for (int i = 0; i < m; i++)
      for (int j = 0; j <= i; j++)
        total += rows[i][j] * rows[j][i + 1];
    if (m == 3) {
      double more[m * 2];
      for (int i = 0; i < 2 * m; i++)
        more[i] = i ? more[i - 1] * x[i % n] : x[0];
      total += more[2 * m - 1] * more[m];
    }
  }
  return total;
}

static double descend(const double *x, int n) {
  if (n == 0)
    return 1;
  alignas(64) double squares[n];
  for (int i = 0; i < n; i++)
    squares[i] = x[i] * x[i];
  double inner = descend(squares, n - 1);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += squares[i] * x[n - 1 - i];
  return inner * sum;
}

GRADIENT_CHECK(scoped_arrays, Double, scopes, In(double, 7), Int(7))
GRADIENT_CHECK(scoped_lengths, Double, lengths, In(double, 6), Int(6))
GRADIENT_CHECK(scoped_recursion, Double, descend, In(double, 4), Int(4))
