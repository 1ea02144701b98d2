// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of derivatives of critical sections in both branches: what the reverse does at their
// ends becomes one, at a distance in the frame that is chosen.
#include "Hessian.h"

#include <math.h>

enum { n = 12 };

static double either(const double *x, double *y, const double *c, const int *k, int m) {
  double r = 0.3, a[n], b[n], sum = 0, product = 1;
  for (int i = 0; i < n; ++i)
    a[i] = b[i] = x[i];
#pragma omp parallel for
  for (int i = 0; i < m; ++i)
    if (k[i]) {
#pragma omp critical(first)
      sum += y[i] * a[i];
    } else {
#pragma omp critical(second)
      product *= y[i];
    }
  r = r * product + sum;
#pragma omp parallel
  {
#pragma omp for
    for (int i = m - 1; i >= 0; --i)
      a[i] = tanh(0.5 * a[i] + sin(sin(a[i]) + r / (2 + cos(c[i / 2]))));
#pragma omp for schedule(dynamic, 2)
    for (int i = m - 1; i >= 0; --i)
      y[i] = tanh(y[i] + r + a[i] * b[i]);
  }
  return r;
}

static const double weights[n] = {0.1, 0.2, 0.3, 0.4};
static const int marks[n] = {1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1};

/// Of the sum of either's result and of all that y becomes.
static void gradient(const double *x, double *bar, const double *given, const double *c,
                     const int *k, int m) {
  double y[n], yBar[n];
  for (int i = 0; i < n; ++i) {
    bar[i] = 0;
    y[i] = given[i];
    yBar[i] = 1;
  }
  __enzyme_autodiff_hessian((void *)either, enzyme_dup, x, bar, enzyme_dup, y, yBar, enzyme_const,
                            c, enzyme_const, k, m);
}

static void product(const double *x, const double *v, double *bar, double *along) {
  __enzyme_fwddiff_hessian_void((void *)gradient, enzyme_dup, x, v, enzyme_dup, bar, along,
                                enzyme_const, weights, enzyme_const, weights, enzyme_const, marks,
                                n);
}

static double primal(void *const *values) {
  gradient(values[0], values[1], weights, weights, marks, n);
  return 0;
}

static double tangent(void *const *values, void *const *shadows) {
  product(values[0], shadows[0], values[1], shadows[1]);
  return 0;
}

/// A Hessian is symmetric.
static void adjoint(void *const *values, void *const *shadows) {
  double along[n];
  double *bars = shadows[0], *seeds = shadows[1];
  product(values[0], seeds, values[1], along);
  for (int i = 0; i < n; ++i) {
    bars[i] += along[i];
    seeds[i] = 0;
  }
}

GRADIENT_CHECK_CUSTOM(hessian_branches, Void, primal, tangent, adjoint, In(double, n),
                      NoNeed(double, n))
