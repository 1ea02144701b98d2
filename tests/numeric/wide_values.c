// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector extensions, long double, small vectors on the tape, unions of a double and its halves.
#include "GradientCheck.h"
#include <math.h>
#include <string.h>

typedef double v4 __attribute__((vector_size(32)));
typedef float f2 __attribute__((vector_size(8)));
typedef double v2u __attribute__((vector_size(16), aligned(8)));

static double vectors(const double *x, int n) {
  v4 acc = {1, 2, 3, 4};
  double s = 0;
  for (int i = 0; i + 4 <= n; i++) {
    v4 v;
    memcpy(&v, x + i, sizeof v);
    acc = acc * v + v / acc;
    s += acc[i % 4];
    acc[(i + 1) % 4] = x[i];
  }
  return s + acc[0] * acc[1] * acc[2] * acc[3];
}

static float pairs(const float *x, int n) {
  f2 acc = {1, 1};
  for (int i = 0; i + 2 <= n; i++) {
    f2 v = {x[i], x[i + 1]};
    acc = acc * v + v;
    acc = acc[0] > 3 ? acc / 2 : acc;
  }
  return acc[0] * acc[1];
}

static double extended(const double *x, int n) {
  long double sum = 0, product = 1;
  long double kept[8];
  for (int i = 0; i < n; i++) {
    kept[i] = (long double)x[i] * x[i];
    product *= kept[i] + sinl(x[i]);
  }
  for (int i = 0; i < n; i++)
    sum += kept[n - 1 - i] * product;
  while (sum > 2)
    sum = sum / 2 + 0.25L * sqrtl(sum);
  return sum;
}

GRADIENT_CHECK(wide_vectors, Double, vectors, In(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-5, wide_pairs, Float, pairs, In(float, 6), Int(6))
GRADIENT_CHECK(wide_extended, Double, extended, In(double, 6), Int(6))
