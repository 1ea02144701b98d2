// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of errors by rounding, computed as tangents are: relative ones of a difference that
// cancels, of sums in single precision, through memory and calls; in several directions.
//
// RUN: %cf_clang -O0 %s -o %t0 -lm && %t0 | FileCheck %s
// RUN: %cf_clang -O2 %s -o %t2 -lm && %t2 | FileCheck %s
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int enzyme_dup, enzyme_const, enzyme_width;
double __enzyme_error_estimate(void *, ...);
float __enzyme_error_estimate_float(void *, ...);
void __enzyme_error_estimate_into(void *, ...);
struct pair {
  double a, b;
};
struct pair __enzyme_error_estimate_two(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double cancels(double x) { return (1 - cos(x)) / (x * x); }
static double difference(double x, double y) { return x - y; }
static double exact(double x) { return fmax(-fabs(x), -3.0); }
static float sum(const float *x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}
__attribute__((noinline)) static double product(double x, double y) { return x * y; }
static double cube(double x) { return product(x, product(x, x)); }
static void moved(const double *x, double *y) {
  double *copy = malloc(2 * sizeof(double));
  memcpy(copy, x, 2 * sizeof(double));
  y[0] = copy[0] * copy[1];
  free(copy);
}

int main(void) {
  // The cosine is off by 2^-53, and there are 45 such steps between it and one.
  // CHECK: 0.022222
  printf("%.6f\n", __enzyme_error_estimate((void *)cancels, 1e-7, 0.0) / cancels(1e-7));
  // Errors do not cancel as tangents do. The last place of 1.0 is worth 2^-52.
  // CHECK: 3.000 -1.000 1.000
  printf("%.3f %.3f %.3f\n",
         __enzyme_error_estimate((void *)difference, 3.0, 0x1p-52, 2.0, 0x1p-52) * 0x1p52,
         __enzyme_fwddiff((void *)difference, 3.0, 1.0, 2.0, 2.0),
         __enzyme_error_estimate((void *)exact, -2.0, 1.0));
  // 0 + 1, 1 + 1, 2 + 1, 3 + 1: in units of the last place of 1.0, 1 + 2 + 2 + 4
  // CHECK: 9.0
  const float x[4] = {1, 1, 1, 1}, none[4] = {0, 0, 0, 0};
  printf("%.1f\n",
         __enzyme_error_estimate_float((void *)sum, enzyme_dup, x, none, enzyme_const, 4) * 0x1p23);
  // 2.25, 3.375: 1.5 * 2 + 2 units
  // CHECK: 5.00
  printf("%.2f\n", __enzyme_error_estimate((void *)cube, 1.5, 0.0) * 0x1p52);
  // CHECK: 9.0 3.0 2.0
  const double in[2] = {2, 3}, off[2] = {0x1p-52, 0x1p-52};
  double y = 0, e = 0;
  __enzyme_error_estimate_into((void *)moved, in, off, &y, &e);
  const struct pair two =
      __enzyme_error_estimate_two((void *)difference, enzyme_width, 2, enzyme_dup, 3.0, 0x1p-52,
                                  0.0, enzyme_dup, 1.0, 0.0, 0.0);
  printf("%.1f %.1f %.1f\n", e * 0x1p52, two.a * 0x1p52, two.b * 0x1p52);
  return 0;
}
