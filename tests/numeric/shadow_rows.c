// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix as pointers to rows, with pointers to rows of shadows.
// Supports: shadows of nested objects
#include "GradientCheck.h"

static double walk(double **a, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double *row = a[i];
    for (int j = 0; j < n; j++) {
      row[j] *= a[j][i];
      sum += row[j];
    }
  }
  return sum;
}

void __enzyme_autodiff_rows(void *, ...);
double __enzyme_fwddiff_rows(void *, ...);

static void bind(double **rows, void *block) {
  for (int i = 0; i < 4; i++)
    rows[i] = (double *)block + 4 * i;
}

static double primal(void *const *v) {
  double *rows[4];
  bind(rows, v[0]);
  return walk(rows, 4);
}

static double tangent(void *const *v, void *const *d) {
  double *rows[4], *shadows[4];
  bind(rows, v[0]);
  bind(shadows, d[0]);
  return __enzyme_fwddiff_rows((void *)walk, enzyme_dup, rows, shadows, enzyme_const, 4);
}

static void adjoint(void *const *v, void *const *d) {
  double *rows[4], *shadows[4];
  bind(rows, v[0]);
  bind(shadows, d[0]);
  __enzyme_autodiff_rows((void *)walk, enzyme_dup, rows, shadows, enzyme_const, 4);
}

GRADIENT_CHECK_CUSTOM(shadow_rows, Double, primal, tangent, adjoint, InOut(double, 16))
