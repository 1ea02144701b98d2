// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recursive template, a policy class and a template over the element type.
// Supports: classes, templates, expression templates, operators, references
#include "GradientCheck.h"
#include <cmath>

template <int N> struct Polynomial {
  template <typename T> static T at(const T *c, T x) {
    return c[0] + x * Polynomial<N - 1>::at(c + 1, x);
  }
};
template <> struct Polynomial<0> {
  template <typename T> static T at(const T *c, T) { return c[0]; }
};

struct Exponential {
  template <typename T> static T apply(T x) { return std::exp(-x); }
};
struct Rational {
  template <typename T> static T apply(T x) { return 1 / (1 + x * x); }
};

template <typename Kernel, typename T> T sumOf(const T *x, int n) {
  T sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      sum += Kernel::apply(x[i] - x[j]);
  return sum;
}

static double templates(const double *x, double t, int n) {
  return Polynomial<4>::at(x, t) + sumOf<Exponential>(x, n) * sumOf<Rational>(x, n);
}

GRADIENT_CHECK(templates, Double, templates, In(double, 6), Scalar(double), Int(6))
