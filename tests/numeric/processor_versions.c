// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of which there are several, for several processors: which one runs is chosen when the
// program is loaded.
// Supports: functions in versions for several processors (`target_clones`, `ifunc`)
#include "GradientCheck.h"

__attribute__((target_clones("avx2", "avx512f", "default"))) double inner(const double *x,
                                                                          const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}
static double products(const double *x, int n) {
  double s = 0;
  for (int k = 0; k < 3; k++)
    s += inner(x, x + k, n - 3) * inner(x, x, n);
  return s;
}

static double doubled(double x) { return 2 * x; }
static double squared(double x) { return x * x; }
typedef double (*Unary)(double);
static Unary pick(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse2") ? squared : doubled;
}
double picked(double x) __attribute__((ifunc("pick")));
static double twice(double x) { return picked(x) + picked(picked(x)); }

GRADIENT_CHECK(processor_versions_primal, Double, inner, In(double, 6), In(double, 6), Int(6))
GRADIENT_CHECK(processor_versions_called, Double, products, In(double, 8), Int(8))
GRADIENT_CHECK(processor_versions_resolver, Double, picked, Scalar(double))
GRADIENT_CHECK(processor_versions_picked, Double, twice, Scalar(double))
