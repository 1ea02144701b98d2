// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of pointers to global arrays.
// Supports: global variables
#include "GradientCheck.h"

static double left[4], right[4];
static double *const table[] = {left, right};
static double *movable[] = {right, left};
struct Field {
  int size;
  double *data;
};
static const struct Field fields[] = {{4, left}, {4, right}};

static double spread(const double *x, double a, int n) {
  for (int i = 0; i < n; ++i)
    table[i % 2][i / 2] = x[i] * a;
  double s = 0;
  for (int i = 0; i < n / 2; ++i)
    s += left[i] * right[i] + movable[0][i] * a;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < fields[k].size; ++i)
      s += fields[k].data[i] * fields[k].data[i] * (k + 1);
  return s;
}

GRADIENT_CHECK(pointer_tables, Double, spread, In(double, 8), Scalar(double), Int(8))
