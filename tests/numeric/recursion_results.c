// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive functions that return structs, pointers, floats by pointer, and nothing; the function
// that is differentiated calls itself.
#include "GradientCheck.h"

struct pair {
  double value, slope;
  int depth;
};

static struct pair horner(const double *c, double x, int n) {
  if (n == 0)
    return (struct pair){0, 0, 0};
  struct pair rest = horner(c + 1, x, n - 1);
  return (struct pair){c[0] + x * rest.value, rest.value + x * rest.slope, rest.depth + 1};
}
static double polynomial(const double *c, double x, int n) {
  struct pair p = horner(c, x, n);
  return p.value * p.slope * p.depth;
}

static double *largest(double *x, int n) {
  if (n == 1)
    return x;
  double *rest = largest(x + 1, n - 1);
  *rest *= 1.5;
  return *rest > *x ? rest : x;
}
static double scale_largest(double *x, int n) {
  double *m = largest(x, n);
  *m = *m * *m;
  return *m * x[0];
}

static void fold(double *x, double *out, int n) {
  if (n == 1) {
    *out += x[0] * x[0];
    return;
  }
  double low = 0, high = 1;
  fold(x, &low, n / 2);
  fold(x + n / 2, &high, n - n / 2);
  x[0] = low * x[0];
  *out += low * high;
}

static double self(double *x, int n, double weight) {
  if (n <= 0)
    return weight;
  x[0] = 0.5 * x[0] * weight + x[n - 1];
  return x[0] * self(x + 1, n - 1, weight * x[0]) + self(x + 1, n - 2, 0.5 * weight);
}

GRADIENT_CHECK(recursion_struct, Double, polynomial, In(double, 5), Scalar(double), Int(5))
GRADIENT_CHECK(recursion_pointer, Double, scale_largest, InOut(double, 5), Int(5))
GRADIENT_CHECK(recursion_void, Void, fold, InOut(double, 6), InOut(double, 1), Int(6))
GRADIENT_CHECK(recursion_self, Double, self, InOut(double, 5), Int(5), Scalar(double))
