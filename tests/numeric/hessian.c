// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hessian-vector products: the primal is a gradient, its tangent the tangent of an adjoint. The
// adjoint is that of an adjoint or, since a Hessian is symmetric, that of a tangent. The inner
// adjoint records loops, unknown trip counts, copies, in-place updates, heap memory and recursion.
//
// The gradient sums adjoints, in the tangent in another order than alone: it is equal but for
// rounding, so its values are not compared (NoNeed).
#include "GradientCheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { n = 6 };

void __enzyme_autodiff_hessian(void *, ...);
double __enzyme_fwddiff_hessian(void *, ...);
void __enzyme_fwddiff_hessian_void(void *, ...);

// Gradient, tangent and adjoint of one function.
#define HESSIAN(name)                                                                              \
  GRADIENT_OF(name)                                                                                \
  static void name##_twice(void *const *values, void *const *shadows) {                            \
    __enzyme_autodiff_hessian((void *)name##_gradient, enzyme_dup, (double *)values[0],            \
                              (double *)shadows[0], enzyme_dup, (double *)values[1],               \
                              (double *)shadows[1]);                                               \
  }                                                                                                \
  GRADIENT_CHECK_CUSTOM(name, Void, name##_primal, name##_tangent, name##_adjoint, In(double, n),  \
                        NoNeed(double, n))                                                         \
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
  }                                                                                                \
  static double name##_along(const double *x, const double *v) {                                   \
    return __enzyme_fwddiff_hessian((void *)name, enzyme_dup, x, v);                               \
  }                                                                                                \
  static void name##_adjoint(void *const *values, void *const *shadows) {                          \
    double unused[n] = {0};                                                                        \
    name##_gradient((const double *)values[0], (double *)values[1]);                               \
    __enzyme_autodiff_hessian((void *)name##_along, enzyme_dup, (double *)values[0],               \
                              (double *)shadows[0], enzyme_dup, (double *)shadows[1], unused);     \
    memset(shadows[1], 0, n * sizeof(double));                                                     \
  }

static double hessian_loops(const double *x) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double t = x[i];
    for (int k = 0; k < 3; ++k)
      t = sin(t) * x[(i + 1) % n];
    sum += exp(x[i] * t);
  }
  return sum;
}
HESSIAN(hessian_loops)

static double hessian_while(const double *x) {
  double sum = 0, step = x[0];
  while (sum < 5) {
    for (int i = 0; i < n; ++i)
      sum += step * x[i] * x[i];
    step = sqrt(step + x[1]);
  }
  return sum * step;
}
HESSIAN(hessian_while)

static double hessian_memory(const double *x) {
  double local[n], copy[n], sum = 0;
  double *work = (double *)malloc(n * sizeof *work);
  memcpy(local, x, sizeof local);
  for (int step = 0; step < 3; ++step) {
    memcpy(copy, local, sizeof copy);
    for (int i = 0; i < n; ++i) {
      work[i] = copy[i] * copy[(i + 2) % n];
      local[i] += 0.3 * work[i] * local[i];
    }
  }
  for (int i = 0; i < n; ++i)
    sum += local[i] * log(work[i] + 2);
  free(work);
  return sum;
}
HESSIAN(hessian_memory)

static double hessian_power(const double *x, int k) {
  return k == 0 ? x[0] * x[1] : sin(x[k % n] * hessian_power(x, k - 1)) + x[k % n] * x[0];
}
static double hessian_recursion(const double *x) { return hessian_power(x, 4) * x[n - 1]; }
HESSIAN(hessian_recursion)

// The third derivative of a function of one variable, in four ways.
void *__enzyme_augmentfwd_number(void *, ...);
double __enzyme_reverse_number(void *, ...);
double __enzyme_autodiff_number(void *, ...);

static double wave(double x) {
  double a[4] = {x, 1, x * x, 2}, sum = x;
  for (int k = 0; sum < 9; ++k) {
    for (int i = 0; i < 3; ++i)
      a[i] = a[i] * 0.5 * a[i + 1] + sin(a[i] * x);
    sum += a[k % 3] * a[k % 3] + 0.5;
  }
  return sum * a[1];
}
static double wave_adjoint(double x) { return __enzyme_autodiff_number((void *)wave, x); }
static double wave_split(double x) {
  void *tape = __enzyme_augmentfwd_number((void *)wave, x);
  return __enzyme_reverse_number((void *)wave, x, 1.0, tape);
}
static double wave_tangent(double x) { return __enzyme_fwddiff_hessian((void *)wave, x, 1.0); }
static double second_of_adjoint(double x) {
  return __enzyme_autodiff_number((void *)wave_adjoint, x);
}
static double second_of_split(double x) { return __enzyme_autodiff_number((void *)wave_split, x); }
static double second_of_tangent(double x) {
  return __enzyme_fwddiff_hessian((void *)wave_tangent, x, 1.0);
}
static double third(double x) {
  return second_of_adjoint(x) + 2 * second_of_split(x) + 3 * second_of_tangent(x);
}
GRADIENT_CHECK(third, Double, third, ScalarRange(double, 0.6, 0.7))
