// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lazy expressions over arrays that are evaluated element by element.
// Supports: classes, templates, expression templates, operators, references
#include "GradientCheck.h"

namespace {

template <typename L, typename R> struct Sum {
  L l;
  R r;
  double operator[](int i) const { return l[i] + r[i]; }
};
template <typename L, typename R> struct Product {
  L l;
  R r;
  double operator[](int i) const { return l[i] * r[i]; }
};
struct View {
  const double *p;
  double operator[](int i) const { return p[i]; }
};
struct Same {
  double v;
  double operator[](int) const { return v; }
};
template <typename L, typename R> Sum<L, R> operator+(L l, R r) { return {l, r}; }
template <typename L, typename R> Product<L, R> operator*(L l, R r) { return {l, r}; }

double evaluate(const double *x, const double *y, double *z, double a, int n) {
  const auto e = View{x} * View{y} + Same{a} * View{x} * View{x};
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += z[i] = e[i];
  return sum;
}

} // namespace

GRADIENT_CHECK(expression_templates, Double, evaluate, In(double, 7), In(double, 7), Out(double, 7),
               Scalar(double), Int(7))
