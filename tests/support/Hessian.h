// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hessian-vector products as a program under test: the primal is the gradient of a function of n
// numbers (an enumerator of the file), its tangent the tangent of an adjoint. The adjoint is, since
// a Hessian is symmetric, that of a tangent (HESSIAN), or that of an adjoint (HESSIAN_TWICE), or
// the tangent of an adjoint once more (HESSIAN_FORWARD), which tests the symmetry.
//
// The gradient sums adjoints, in the tangent in another order than alone: it is equal but for
// rounding, so its values are not compared (NoNeed).
#ifndef CONTRAFLOW_TEST_HESSIAN_H
#define CONTRAFLOW_TEST_HESSIAN_H

#include "GradientCheck.h"

#include <string.h>

void __enzyme_autodiff_hessian(void *, ...);
double __enzyme_fwddiff_hessian(void *, ...);
void __enzyme_fwddiff_hessian_void(void *, ...);

#define HESSIAN(name)                                                                              \
  GRADIENT_OF(name)                                                                                \
  static double name##_along(const double *x, const double *v) {                                   \
    return __enzyme_fwddiff_hessian((void *)name, enzyme_dup, x, v);                               \
  }                                                                                                \
  static void name##_adjoint(void *const *values, void *const *shadows) {                          \
    double unused[n] = {0};                                                                        \
    name##_gradient((const double *)values[0], (double *)values[1]);                               \
    __enzyme_autodiff_hessian((void *)name##_along, enzyme_dup, (double *)values[0],               \
                              (double *)shadows[0], enzyme_dup, (double *)shadows[1], unused);     \
    memset(shadows[1], 0, n * sizeof(double));                                                     \
  }                                                                                                \
  GRADIENT_CHECK_CUSTOM(name, Void, name##_primal, name##_tangent, name##_adjoint, In(double, n),  \
                        NoNeed(double, n))
#define HESSIAN_TWICE(name)                                                                        \
  static void name##_twice(void *const *values, void *const *shadows) {                            \
    __enzyme_autodiff_hessian((void *)name##_gradient, enzyme_dup, (double *)values[0],            \
                              (double *)shadows[0], enzyme_dup, (double *)values[1],               \
                              (double *)shadows[1]);                                               \
  }                                                                                                \
  GRADIENT_CHECK_CUSTOM(name##_again, Void, name##_primal, name##_tangent, name##_twice,           \
                        In(double, n), NoNeed(double, n))
#define GRADIENT_OF(name)                                                                          \
  static void name##_gradient(const double *x, double *g) {                                        \
    for (int i = 0; i < n; ++i)                                                                    \
      g[i] = 0;                                                                                    \
    __enzyme_autodiff_hessian((void *)name, enzyme_dup, x, g);                                     \
  }                                                                                                \
  static double name##_primal(void *const *values) {                                               \
    name##_gradient((const double *)values[0], (double *)values[1]);                               \
    return 0;                                                                                      \
  }                                                                                                \
  static double name##_tangent(void *const *values, void *const *shadows) {                        \
    __enzyme_fwddiff_hessian_void((void *)name##_gradient, enzyme_dup, (double *)values[0],        \
                                  (double *)shadows[0], enzyme_dup, (double *)values[1],           \
                                  (double *)shadows[1]);                                           \
    return 0;                                                                                      \
  }

// Of a tangent along a direction that is an input as well: tangent of a tangent, and its adjoint.
#define SLOPE(name)                                                                                \
  static double name##_slope(const double *x, const double *v) {                                   \
    return __enzyme_fwddiff_hessian((void *)name, enzyme_dup, x, v);                               \
  }                                                                                                \
  GRADIENT_CHECK(name##_slope, Double, name##_slope, In(double, n), In(double, n))

// Where adjoints have no adjoints: the Hessian by tangents of adjoints, and a tangent of a tangent,
// whose adjoint is put together from the Hessian and the gradient.
#define HESSIAN_FORWARD(name)                                                                      \
  GRADIENT_OF(name)                                                                                \
  static void name##_product(double *x, double *v, double *result) {                               \
    double g[n], h[n] = {0};                                                                       \
    __enzyme_fwddiff_hessian_void((void *)name##_gradient, enzyme_dup, x, v, enzyme_dupnoneed, g,  \
                                  h);                                                              \
    for (int i = 0; i < n; ++i)                                                                    \
      result[i] += h[i];                                                                           \
  }                                                                                                \
  static void name##_symmetric(void *const *values, void *const *shadows) {                        \
    name##_gradient((const double *)values[0], (double *)values[1]);                               \
    name##_product((double *)values[0], (double *)shadows[1], (double *)shadows[0]);               \
    memset(shadows[1], 0, n * sizeof(double));                                                     \
  }                                                                                                \
  GRADIENT_CHECK_CUSTOM(name, Void, name##_primal, name##_tangent, name##_symmetric,               \
                        In(double, n), NoNeed(double, n))                                          \
  static double name##_slope(const double *x, const double *v) {                                   \
    return __enzyme_fwddiff_hessian((void *)name, enzyme_dup, x, v);                               \
  }                                                                                                \
  static double name##_slope_primal(void *const *values) {                                         \
    return name##_slope((const double *)values[0], (const double *)values[1]);                     \
  }                                                                                                \
  static double name##_slope_tangent(void *const *values, void *const *shadows) {                  \
    return __enzyme_fwddiff_hessian((void *)name##_slope, enzyme_dup, (double *)values[0],         \
                                    (double *)shadows[0], enzyme_dup, (double *)values[1],         \
                                    (double *)shadows[1]);                                         \
  }                                                                                                \
  static void name##_slope_adjoint(void *const *values, void *const *shadows) {                    \
    double g[n];                                                                                   \
    name##_gradient((const double *)values[0], g);                                                 \
    for (int i = 0; i < n; ++i)                                                                    \
      ((double *)shadows[1])[i] += g[i];                                                           \
    name##_product((double *)values[0], (double *)values[1], (double *)shadows[0]);                \
  }                                                                                                \
  GRADIENT_CHECK_CUSTOM(name##_slope, Double, name##_slope_primal, name##_slope_tangent,           \
                        name##_slope_adjoint, In(double, n), In(double, n))

#endif
