// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to members, also to virtual ones; functions that return functions; std::bind.
// Supports: virtual functions, multiple and virtual inheritance, pointers to members, `dynamic_cast`
#include "GradientCheck.h"
#include <functional>
struct S {
  double a, b;
  virtual double get(double x) { return a * x; }
  virtual ~S() {}
};
struct T : S {
  double get(double x) override { return b * x * x; }
};
typedef double (*F)(double, double);
static double ad(double x, double y) { return x + y; }
static double mu(double x, double y) { return x * y; }
static F pick(int i) { return i % 2 ? ad : mu; }
static double f(const double *x, double c, int n) {
  T t;
  t.a = c;
  t.b = c * c;
  S s;
  s.a = x[0];
  s.b = x[1];
  double S::*m[] = {&S::a, &S::b};
  double (S::*g)(double) = &S::get;
  S *o[] = {&t, &s};
  double r = 0;
  auto bnd = std::bind(mu, std::placeholders::_1, c);
  for (int i = 0; i < n; i++) {
    S *q = o[i % 2];
    r += q->*m[i % 2];
    r += (q->*g)(x[i]);
    r = pick(i)(r, x[i]);
    r += bnd(x[i]);
  }
  return r;
}
GRADIENT_CHECK(member_pointers, Double, f, In(double, 5), Scalar(double), Int(5))
