// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <enzyme/enzyme>: every kind of argument and of result, functions and objects that are called.
//
// RUN: %cf_clangxx -std=c++17 -Wall -Wextra -Werror -O0 %s -o %t0 && %t0 | FileCheck %s
// RUN: %cf_clangxx -std=c++17 -Wall -Wextra -Werror -O2 %s -o %t2 && %t2 | FileCheck %s
// RUN: %cf_clangxx -std=c++17 -O1 -finstrument-functions %s -o %t1 && %t1 | FileCheck %s
// RUN: not %cf_clangxx -std=c++17 -DWRONG -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=WRONG
#include <enzyme/enzyme>

#include <cstdio>

using enzyme::get;

static double scaled(double x, double y) { return x * x * y; }
static double square(double x) { return x * x; }
static float half(float x, int n) { return x * x / static_cast<float>(n); }
static double energy(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i];
  return sum;
}
static void step(double *y, const double &dt) { y[0] *= dt; }
static double referred(const double &x, const double &y) { return x * x * y; }
struct Point {
  double x, y;
};
static double area(const Point &p, double k) { return p.x * p.y * k; }
static Point turned(Point p) { return {p.y * p.x, p.x}; }
static double five(double a, double b, double c, double d, double e) { return a * b * c * d * e; }

int main() {
  // CHECK: reverse 12 4
  const auto g = enzyme::autodiff<enzyme::Reverse>(scaled, enzyme::Active<double>(2.0),
                                                   enzyme::Active<double>(3.0));
  std::printf("reverse %g %g\n", get<0>(get<0>(g)), get<1>(get<0>(g)));

  // CHECK: with primal 6 9
  double three = 3;
  const auto [bars, value] =
      enzyme::autodiff<enzyme::ReverseWithPrimal>(square, enzyme::Active(three));
  std::printf("with primal %g %g\n", get<0>(bars), value);

  // CHECK: float 1.5
  const auto h =
      enzyme::autodiff<enzyme::Reverse>(half, enzyme::Active<float>(3.0F), enzyme::Const<int>(4));
  std::printf("float %g\n", static_cast<double>(get<0>(get<0>(h))));

  // CHECK: forward 12, 16 12
  const auto t = enzyme::autodiff<enzyme::Forward>(scaled, enzyme::Duplicated<double>(2.0, 1.0),
                                                   enzyme::Const<double>(3.0));
  const auto [dot, primal] = enzyme::autodiff<enzyme::ForwardWithPrimal>(
      scaled, enzyme::Duplicated<double>(2.0, 1.0), enzyme::Duplicated<double>(3.0, 1.0));
  std::printf("forward %g, %g %g\n", get<0>(t), dot, primal);

  // CHECK: address 9 6, 6
  double u = 2, u_bar = 0, u_dot = 1;
  Point at{3, 3}, at_bar{0, 0};
  enzyme::autodiff<enzyme::Reverse>(area, enzyme::Duplicated<Point *>(&at, &at_bar),
                                    enzyme::Const<double>(3.0));
  enzyme::autodiff<enzyme::Reverse>(referred, enzyme::Duplicated<double *>(&u, &u_bar),
                                    enzyme::Const<const double *>(&at.x));
  const auto at_address = enzyme::autodiff<enzyme::Forward>(
      referred, enzyme::Duplicated<double *>(&u, &u_dot), enzyme::Const<double *>(&at.y));
  std::printf("address %g %g, %g\n", at_bar.x, u_bar / 2, get<0>(at_address) / 2);

  // CHECK: memory 2 4 6
  double x[3] = {1, 2, 3}, x_bar[3] = {0, 0, 0};
  enzyme::autodiff<enzyme::Reverse>(energy, enzyme::Duplicated<const double *>(x, x_bar),
                                    enzyme::Const<int>(3));
  std::printf("memory %g %g %g\n", x_bar[0], x_bar[1], x_bar[2]);

  // CHECK: nothing returned 2 12
  double y[1] = {4}, y_dot[1] = {1}, dt = 2, dt_dot = 3;
  enzyme::autodiff<enzyme::Forward>(step, enzyme::DuplicatedNoNeed<double *>(y, y_dot),
                                    enzyme::Const<double &>(dt));
  std::printf("nothing returned %g ", y_dot[0]);
  y[0] = 4;
  y_dot[0] = 0;
  enzyme::autodiff<enzyme::Forward>(step, enzyme::Duplicated<double *>(y, y_dot),
                                    enzyme::Duplicated<double &>(dt, dt_dot));
  std::printf("%g\n", y_dot[0]);

  // CHECK: reference 6 4
  Point p{2, 3}, p_bar{0, 0};
  enzyme::autodiff<enzyme::Reverse, enzyme::Active<double>>(
      area, enzyme::Duplicated<const Point &>(p, p_bar), enzyme::Const<double>(2.0));
  std::printf("reference %g %g\n", p_bar.x, p_bar.y);

  // CHECK: structure 4 2, 5 1
  const auto s = enzyme::autodiff<enzyme::Reverse>(turned, enzyme::Active<Point>(p));
  const auto d =
      enzyme::autodiff<enzyme::Forward>(turned, enzyme::Duplicated<Point>(p, Point{1, 1}));
  std::printf("structure %g %g, %g %g\n", get<0>(get<0>(s)).x, get<0>(get<0>(s)).y, get<0>(d).x,
              get<0>(d).y);

  // CHECK: object 16 48
  const double k = 4;
  const auto object = [&](double z, double w) { return k * z * z * w; };
  const auto o =
      enzyme::autodiff<enzyme::Reverse>(object, enzyme::Active(2.0), enzyme::Const<double>(1.0));
  std::printf("object %g ", get<0>(get<0>(o)));
  const auto f = enzyme::autodiff<enzyme::Forward>(object, enzyme::Duplicated<double>(2.0, 1.0),
                                                   enzyme::Const<double>(3.0));
  std::printf("%g\n", get<0>(f));

  // CHECK: constant result 0 30
  const auto c = enzyme::autodiff<enzyme::ReverseWithPrimal, enzyme::Const<double>>(
      five, enzyme::Active(1.0), enzyme::Const<double>(1.0), enzyme::Const<double>(2.0),
      enzyme::Const<double>(3.0), enzyme::Const<double>(5.0));
  std::printf("constant result %g %g\n", get<0>(get<0>(c)), get<1>(c));

  // CHECK: five 120 60 40 30 24
  const auto [v] = enzyme::autodiff<enzyme::Reverse>(five, enzyme::Active(1.0), enzyme::Active(2.0),
                                                     enzyme::Active(3.0), enzyme::Active(4.0),
                                                     enzyme::Active(5.0));
  std::printf("five %g %g %g %g %g\n", get<0>(v), get<1>(v), get<2>(v), get<3>(v), get<4>(v));

  // CHECK: declared 6 6
  std::printf("declared %g %g\n", __enzyme_autodiff<double>((void *)square, enzyme_out, 3.0),
              __enzyme_fwddiff<double>((void *)square, enzyme_dup, 3.0, 1.0));

#ifdef WRONG
  // WRONG: the adjoint of a number passed by value is returned; use Active
  enzyme::autodiff<enzyme::Reverse>(square, enzyme::Duplicated<double>(1.0, 0.0));
#endif
  return 0;
}
