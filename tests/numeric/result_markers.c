// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the call says of the result: seeded, left alone, returned before the derivatives, or not.
// Every derivative here is asked for in several ways, which must agree.
#include "GradientCheck.h"

#include <math.h>

extern int enzyme_primal_return, enzyme_noret, enzyme_const_return, enzyme_active_return,
    enzyme_dup_return, enzyme_not_overwritten;

enum { n = 5 };
struct primal_and_scale {
  double primal, scale;
};
struct primal_and_dot {
  double primal, dot;
};
double __enzyme_autodiff_scale(void *, ...);
struct primal_and_scale __enzyme_autodiff_both(void *, ...);
void __enzyme_autodiff_memory(void *, ...);
double __enzyme_fwddiff_number(void *, ...);
struct primal_and_dot __enzyme_fwddiff_both(void *, ...);
void __enzyme_fwddiff_memory(void *, ...);
const double *__enzyme_fwddiff_address(void *, ...);

/// The sum of the squares, and the waves that it sums in y.
static double waves(const double *x, double *y, double scale, int m) {
  double sum = 0;
  for (int i = 0; i < m; ++i) {
    y[i] = sin(scale * x[i]) + x[(i + 1) % m];
    sum += y[i] * y[i];
  }
  return sum;
}
static double waves_primal(void *const *v) {
  return waves((double *)v[0], (double *)v[1], *(double *)v[2], n);
}
static int differ(double a, double b) { return !(fabs(a - b) <= 1e-13 * (1 + fabs(a))); }

static double waves_tangent(void *const *v, void *const *d) {
  double *x = (double *)v[0], *y = (double *)v[1], *x_dot = (double *)d[0], *y_dot = (double *)d[1];
  const double scale = *(double *)v[2], scale_dot = *(double *)d[2];
  const double dot =
      __enzyme_fwddiff_number((void *)waves, enzyme_dup_return, enzyme_dup, x, x_dot, enzyme_dup, y,
                              y_dot, enzyme_dup, scale, scale_dot, enzyme_const, n);
  const struct primal_and_dot both = __enzyme_fwddiff_both(
      (void *)waves, enzyme_primal_return, enzyme_dup_return, enzyme_dup, x, x_dot, enzyme_dup, y,
      y_dot, enzyme_dup, scale, scale_dot, enzyme_const, n);
  const double alone = __enzyme_fwddiff_number(
      (void *)waves, enzyme_primal_return, enzyme_const_return, enzyme_dup, x, x_dot, enzyme_dup, y,
      y_dot, enzyme_dup, scale, scale_dot, enzyme_const, n);
  double z[n], z_dot[n], other = 0;
  __enzyme_fwddiff_memory((void *)waves, enzyme_const_return, enzyme_not_overwritten, enzyme_dup, x,
                          x_dot, enzyme_dup, z, z_dot, enzyme_dup, scale, scale_dot, enzyme_const,
                          n);
  for (int i = 0; i < n; ++i) {
    other += 2 * z[i] * z_dot[i];
    if (differ(z_dot[i], y_dot[i]))
      return NAN;
  }
  const double sum = waves(x, z, scale, n);
  if (differ(both.primal, sum) || differ(alone, sum) || differ(both.dot, dot) || differ(other, dot))
    return NAN;
  return dot;
}

/// With the seed of the result in the memory, or beside it.
static void waves_adjoint(void *const *v, void *const *d) {
  double *x = (double *)v[0], *y = (double *)v[1], *x_bar = (double *)d[0], *y_bar = (double *)d[1];
  const double scale = *(double *)v[2];
  double z[n], z_bar[n], x_other[n], x_both[n], y_both[n];
  waves(x, z, scale, n);
  for (int i = 0; i < n; ++i) {
    z_bar[i] = y_bar[i] + 2 * z[i];
    y_both[i] = y_bar[i];
    x_other[i] = x_both[i] = x_bar[i];
  }
  const double by_memory =
      __enzyme_autodiff_scale((void *)waves, enzyme_const_return, enzyme_dup, x, x_other,
                              enzyme_dup, y, z_bar, enzyme_out, scale, enzyme_const, n);
  const struct primal_and_scale both =
      __enzyme_autodiff_both((void *)waves, enzyme_primal_return, enzyme_active_return, enzyme_dup,
                             x, x_both, enzyme_dup, y, y_both, enzyme_out, scale, enzyme_const, n);
  double scale_bar = __enzyme_autodiff_scale(
      (void *)waves, enzyme_noret, enzyme_active_return, enzyme_dup, enzyme_not_overwritten, x,
      x_bar, enzyme_dup, y, y_bar, enzyme_out, scale, enzyme_const, n);
  for (int i = 0; i < n; ++i)
    if (differ(x_other[i], x_bar[i]) || differ(x_both[i], x_bar[i]) || z_bar[i] != 0 ||
        y_bar[i] != 0)
      scale_bar = NAN;
  if (differ(by_memory, scale_bar) || differ(both.scale, scale_bar) ||
      differ(both.primal, waves(x, z, scale, n)))
    scale_bar = NAN;
  *(double *)d[2] = scale_bar;
}
GRADIENT_CHECK_CUSTOM(result_markers, Double, waves_primal, waves_tangent, waves_adjoint,
                      In(double, n), Out(double, n), Scalar(double))

/// A result that nobody seeds, of a function whose only other output is memory; the primal is
/// wanted.
static const double *largest(const double *x, int m) {
  const double *best = x;
  for (int i = 1; i < m; ++i)
    if (x[i] > *best)
      best = x + i;
  return best;
}
static double largest_primal(void *const *v) { return *largest((double *)v[0], n); }
static double largest_tangent(void *const *v, void *const *d) {
  return *__enzyme_fwddiff_address((void *)largest, enzyme_dup_return, enzyme_dup, (double *)v[0],
                                   (double *)d[0], enzyme_const, n);
}
static double value_of_largest(const double *x, int m) { return *largest(x, m); }
static void largest_adjoint(void *const *v, void *const *d) {
  __enzyme_autodiff_memory((void *)value_of_largest, enzyme_active_return, enzyme_dup,
                           (double *)v[0], (double *)d[0], enzyme_const, n);
}
GRADIENT_CHECK_CUSTOM(address_of_largest, Double, largest_primal, largest_tangent, largest_adjoint,
                      In(double, n))
