// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of tangents: the primal asks for a tangent itself, of numbers, of loops with data
// dependent trip counts, of recursion and of heap memory; and for the adjoint of straight code.
#include "GradientCheck.h"

#include <math.h>
#include <stdlib.h>

double __enzyme_fwddiff_nested(void *, ...);
double __enzyme_autodiff_nested(void *, ...);

static double spring(double x, double k) { return k * x * sin(x) + exp(-k * x); }
static double slope_of_spring(double x, double k) {
  return __enzyme_fwddiff_nested((void *)spring, enzyme_dup, x, 1.0, enzyme_dup, k, 0.5);
}
GRADIENT_CHECK(nested_numbers, Double, slope_of_spring, Scalar(double), Scalar(double))

static double curvature(double x, double k) {
  return x * __enzyme_fwddiff_nested((void *)slope_of_spring, enzyme_dup, x, 1.0, enzyme_const, k);
}
GRADIENT_CHECK(nested_twice, Double, curvature, Scalar(double), Scalar(double))

static double reaction(double x, double k) {
  return k * __enzyme_autodiff_nested((void *)spring, enzyme_out, x, enzyme_const, k);
}
GRADIENT_CHECK(nested_adjoint_of_numbers, Double, reaction, Scalar(double), Scalar(double))

static double tower(double x, int n) { return n ? sin(tower(x, n - 1) * x) : x * x; }
static double energy(const double *x, int n) {
  double *work = (double *)malloc(n * sizeof *work), sum = 0;
  for (int i = 0; i < n; ++i)
    work[i] = tower(x[i], 1 + i % 3) * x[(i + 1) % n];
  double limit = 1;
  while (limit < 40)
    for (int i = 0; i < n; ++i)
      limit += work[i] * work[i];
  for (int i = 0; i < n; ++i)
    sum += exp(-work[i]) * limit;
  free(work);
  return sum;
}
static double along(const double *x, const double *v, int n) {
  return __enzyme_fwddiff_nested((void *)energy, enzyme_dup, x, v, enzyme_const, n);
}
GRADIENT_CHECK(nested_loops, Double, along, In(double, 5), In(double, 5), Int(5))
