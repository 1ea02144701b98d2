// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of C++: templates that take arguments by value or by reference, functions reached
// through variables, tables and lambdas, and structures by value.
//
// RUN: %cf_clangxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O1 %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O3 %s -o %t && %t | FileCheck %s

#include <array>
#include <cstdio>

extern int enzyme_dup, enzyme_dupv, enzyme_out, enzyme_const, enzyme_width, enzyme_primal_return;
template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class... A> R __enzyme_fwddiff(void *, A...);
template <class R, class... A> R __enzyme_augmentsize(void *, A...);
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
using Colour = std::array<float, 3>;
struct Both {
  Colour value, tangent;
};
struct View {
  double *at;
};
static Colour mixed(Colour c, float k) { return {c[0] * c[1], c[1] * k, c[2]}; }
static double last(double *, double *, double *, View v) { return v.at[0] * v.at[0]; }
static double power(const double *x) { return *x * *x; }
static void gradient(double *x, double *x_bar) { __enzyme_autodiff<void>((void *)power, x, x_bar); }
static double below(double *const *rows) { return rows[0][0] * rows[0][0]; }
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
  // CHECK: an array of one 10 6
  double one[1] = {3.0}, one_bar[1] = {0.0}, rows_bar[1] = {0.0};
  __enzyme_autodiff_ref<void>(power, enzyme_dup, one, one_bar);
  double *rows[1] = {one}, *row_bars[1] = {rows_bar};
  __enzyme_autodiff_ref<void>(below, enzyme_dup, rows, row_bars);
  std::printf("an array of one %g %g\n", one_bar[0] + 4.0, rows_bar[0]);
  // CHECK: side by side 15 20
  double dots[2][2] = {{1, 0}, {0, 2}};
  const Point lanes = __enzyme_fwddiff_ref<Point>(norm, enzyme_width, 2, enzyme_dupv,
                                                  sizeof dots[0], x, dots[0], enzyme_const, 5L);
  std::printf("side by side %g %g\n", lanes.x, lanes.y);
  // CHECK: an array by value 2 6 4, 1 0 1
  const Colour c{1, 2, 4}, c_dot{0.5, 0, 1};
  const Both both = __enzyme_fwddiff<Both>((void *)mixed, enzyme_primal_return, enzyme_dup, c,
                                           c_dot, enzyme_const, 3.0F);
  std::printf("an array by value %g %g %g, %g %g %g\n", both.value[0], both.value[1], both.value[2],
              both.tangent[0], both.tangent[1], both.tangent[2]);
  // CHECK: without a register 6
  double three = 3.0, three_bar = 0.0;
  __enzyme_autodiff<void>((void *)last, enzyme_dup, x, bar, enzyme_dup, x, bar, enzyme_dup, x, bar,
                          enzyme_dup, View{&three}, View{&three_bar});
  std::printf("without a register %g\n", three_bar);
  // CHECK: the size of a tape 8
  std::printf("the size of a tape %lu\n",
              __enzyme_augmentsize<unsigned long>((void *)gradient, enzyme_dup, x, bar, enzyme_dup,
                                                  x, bar));
}
