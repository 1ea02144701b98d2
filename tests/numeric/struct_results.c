// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tangents of functions that return structures, in registers and in memory, and complex numbers;
// with the value, and in several directions. The adjoint is that of the sum of the members.
#include "GradientCheck.h"

#include <complex.h>
#include <math.h>

extern int enzyme_primal_return, enzyme_width;

struct pair {
  double a, b;
};
struct mixed {
  double v[3];
  float w;
};
struct both {
  struct mixed value, tangent;
};
struct lanes {
  struct mixed value, first, second;
};
struct pair __enzyme_fwddiff_pair(void *, ...);
struct mixed __enzyme_fwddiff_mixed(void *, ...);
struct both __enzyme_fwddiff_both(void *, ...);
struct lanes __enzyme_fwddiff_lanes(void *, ...);
double _Complex __enzyme_fwddiff_complex(void *, ...);
double __enzyme_autodiff_results(void *, ...);

static struct pair polar(double x) {
  struct pair p = {x * cos(x), 2};
  if (x > 1)
    p.b = x * sin(x);
  return p;
}
static struct mixed record(double x) {
  struct mixed m = {{x, x * x, 1}, 3};
  for (int i = 0; i < 3; ++i)
    m.v[2] *= sin(x + i);
  return m;
}
static double _Complex wave(double x) { return cexp(I * x) * x; }

static double sum_of(const struct mixed *m) { return m->v[0] + m->v[1] + m->v[2] + m->w; }
static double sum(double x) {
  struct pair p = polar(x);
  struct mixed m = record(x);
  double _Complex c = wave(x);
  return p.a + p.b + sum_of(&m) + creal(c) + cimag(c);
}
static double primal(void *const *v) { return sum(*(double *)v[0]); }
static double tangent(void *const *v, void *const *d) {
  double x = *(double *)v[0], x_dot = *(double *)d[0];
  struct pair p = __enzyme_fwddiff_pair((void *)polar, enzyme_dup, x, x_dot);
  struct mixed m = __enzyme_fwddiff_mixed((void *)record, enzyme_dup, x, x_dot);
  struct both b = __enzyme_fwddiff_both((void *)record, enzyme_primal_return, enzyme_dup, x, x_dot);
  struct lanes l = __enzyme_fwddiff_lanes((void *)record, enzyme_width, 2, enzyme_primal_return,
                                          enzyme_dup, x, x_dot, -3 * x_dot);
  double _Complex c = __enzyme_fwddiff_complex((void *)wave, enzyme_dup, x, x_dot);
  struct mixed value = record(x);
  if (sum_of(&b.value) != sum_of(&value) || sum_of(&b.tangent) != sum_of(&m) ||
      sum_of(&l.value) != sum_of(&value) || fabs(sum_of(&l.second) + 3 * sum_of(&l.first)) > 1e-9)
    return NAN;
  return p.a + p.b + sum_of(&l.first) + creal(c) + cimag(c);
}
static void adjoint(void *const *v, void *const *d) {
  *(double *)d[0] = __enzyme_autodiff_results((void *)sum, enzyme_out, *(double *)v[0]);
}
GRADIENT_CHECK_CUSTOM(struct_results, Double, primal, tangent, adjoint, Scalar(double))
