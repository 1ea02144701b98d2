// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A registered derivative in a parallel region, given arrays of the thread's own, which the next
// iteration overwrites.
// Supports: registered derivatives in parallel regions, of memory of the thread's own
#include "GradientCheck.h"
#include <math.h>

__attribute__((noinline)) static double squares(const double *v, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += v[i] * v[i];
  return s;
}
static double squares_augmented(const double *v, double *bar, int n) {
  (void)bar;
  return squares(v, n);
}
static void squares_reverse(const double *v, double *bar, int n, double seed) {
  for (int i = 0; i < n; ++i)
    bar[i] += 2 * seed * v[i];
}
__attribute__((used)) static void *__enzyme_register_gradient_squares[] = {
    (void *)squares, (void *)squares_augmented, (void *)squares_reverse};

static double in_region(const double *x, int n) {
  double t = 0;
#pragma omp parallel for reduction(+ : t) schedule(dynamic, 3)
  for (int i = 0; i < 200; ++i) {
    double p[3] = {x[0] * i, x[1], x[i % n]};
    for (int k = 0; k < 3; ++k) {
      const double s = squares(p, 3 - k);
      t += s * 0.01;
      p[k] += sin(s);
    }
  }
  return t;
}
GRADIENT_CHECK(registered_in_region, Double, in_region, In(double, 6), Int(6))
