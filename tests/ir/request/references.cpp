// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of C++: templates that take arguments by value or by reference, functions reached
// through variables, tables and lambdas, and structures by value.
//
// RUN: %cf_clangxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O1 %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O3 %s -o %t && %t | FileCheck %s

#include <cstdio>

extern int enzyme_dup, enzyme_out, enzyme_const;
template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class F, class... A> R __enzyme_autodiff_ref(F &&, A &&...);
template <class R, class F, class... A> R __enzyme_fwddiff_ref(F &&, A &&...);

struct Eight {
  double v[8];
};
struct Point {
  double x, y;
};

static double product(double a, double b) { return a * b; }
static double fourth(Eight s, double x) { return s.v[3] * x * x; }
static double norm(const double *x, long n) { return n * x[0] * x[1]; }
static double dot(const Point &p, const Point &q) { return p.x * q.x + p.y * q.y; }

static double (*const table[2])(double, double) = {nullptr, product};

template <class F> [[gnu::always_inline]] inline double slope(F f, double a) {
  return __enzyme_autodiff<double>((void *)f, enzyme_out, a, enzyme_const, 2.0);
}

struct Square {
  double factor;
  double operator()(double x) const { return factor * x * x; }
};
template <class F> static double call(const F *f, double x) { return (*f)(x); }
/// Once this is inlined the optimiser knows as much of &f as of a reference.
template <class F> static double slopeOf(F &f, double x) {
  return __enzyme_autodiff<double>((void *)call<F>, enzyme_const, &f, enzyme_out, x);
}

int main() {
  // CHECK: table 7
  std::printf("table %g\n", __enzyme_autodiff<double>((void *)table[1], 3.0, enzyme_const, 7.0));
  // CHECK: variable 7
  double (*f)(double, double) = product;
  std::printf("variable %g\n", __enzyme_autodiff<double>((void *)f, 3.0, enzyme_const, 7.0));
  // CHECK: lambda 6
  auto square = [](double x) { return x * x; };
  std::printf("lambda %g\n", __enzyme_autodiff<double>((void *)(double (*)(double))square, 3.0));
  // CHECK: wrapped 2
  std::printf("wrapped %g\n", slope(product, 3.0));

  // CHECK: pointer to a functor 20
  Square five{5.0};
  std::printf("pointer to a functor %g\n", slopeOf(five, 2.0));

  // CHECK: byval 24
  Eight s{{0, 0, 0, 4, 0, 0, 0, 0}};
  std::printf("byval %g\n", __enzyme_autodiff<double>((void *)fourth, enzyme_const, s, 3.0));

  // CHECK: by reference 7
  double a = 3.0, b = 7.0;
  std::printf("by reference %g\n", __enzyme_autodiff_ref<double>(product, a, enzyme_const, b));
  // CHECK: pointers 15 10
  double x[2] = {2.0, 3.0}, bar[2] = {0.0, 0.0};
  const double *p = x;
  double *p_bar = bar;
  __enzyme_autodiff_ref<void>(norm, enzyme_dup, p, p_bar, enzyme_const, 5L);
  std::printf("pointers %g %g\n", bar[0], bar[1]);
  // CHECK: arrays 30 20
  __enzyme_autodiff_ref<void>(norm, enzyme_dup, x, bar, enzyme_const, 5L);
  std::printf("arrays %g %g\n", bar[0], bar[1]);
  // CHECK: references 3 4
  Point u{1, 2}, u_bar{0, 0}, v{3, 4};
  __enzyme_autodiff_ref<void>(dot, enzyme_dup, u, u_bar, enzyme_const, v);
  std::printf("references %g %g\n", u_bar.x, u_bar.y);
  // CHECK: tangent 7
  Point u_dot{1, 1};
  std::printf("tangent %g\n",
              __enzyme_fwddiff_ref<double>(dot, enzyme_dup, u, u_dot, enzyme_const, v));
}
