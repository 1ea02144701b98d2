// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of other widths and signs, strides, descending loops, two variables at once.
// Supports: loops: nested, triangular, `while`, `do`, `break`, `continue`, zero trips, counters of any width
#include "GradientCheck.h"

static double shapes(const double *x, int n) {
  double sum = 0;
  for (unsigned char i = 0; i < (unsigned char)n; i++)
    sum += x[i] * sum + x[i];
  for (long i = n - 1; i >= 0; i -= 3)
    sum *= 1 + 0.1 * x[i];
  for (unsigned long i = n; i-- > 0;)
    sum += x[i] * x[i];
  for (int i = 0, j = n - 1; i < j; i++, j--)
    sum += x[i] * x[j];
  for (int i = 1; i < n; i *= 2)
    sum = sum * 0.5 + x[i] * sum;
  for (double t = 0; t < 1; t += 0.25)
    sum += t * x[0] * sum * 0.1;
  for (const double *p = x; p != x + n; ++p)
    sum -= *p * *p * *p;
  return sum;
}

static double sized(const double *x, unsigned long n) {
  double product = 1;
  for (unsigned long i = 0; i != n; ++i)
    product *= x[n - 1 - i] + (double)i;
  return product;
}

GRADIENT_CHECK(loop_shapes, Double, shapes, In(double, 7), Int(7))
GRADIENT_CHECK(loop_size, Double, sized, In(double, 6), Size(6))
