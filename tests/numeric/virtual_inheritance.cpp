// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A diamond with a virtual base, overriders that change members, dynamic_cast.
// Supports: virtual functions, multiple and virtual inheritance, pointers to members, `dynamic_cast`
#include "GradientCheck.h"
#include <vector>
struct B0 {
  double k = 1;
  virtual ~B0() {}
  virtual double ev(double) = 0;
};
struct L : virtual B0 {
  double l = 2;
  double ev(double x) override { return k * x * l; }
};
struct R : virtual B0 {
  double r = 3;
  virtual double other(double x) { return r * x * x; }
};
struct D final : L, R {
  double d;
  D(double v) : d(v) { k = v; }
  double ev(double x) override { return L::ev(x) + other(x) * d; }
};
struct E : B0 {
  double ev(double x) override {
    k *= x;
    return k;
  }
};
static double f(const double *x, double a, int n) {
  D d(a);
  E e;
  std::vector<B0 *> v{&d, &e, &d};
  double s = 0;
  for (int i = 0; i < n; i++)
    for (B0 *b : v) {
      s += b->ev(x[i]);
      if (D *p = dynamic_cast<D *>(b))
        s += p->d * x[i];
    }
  return s;
}
GRADIENT_CHECK(virtual_inheritance, Double, f, In(double, 4), Scalar(double), Int(4))

/// Pointers to members of a class with two bases.
namespace {
struct Left {
  double a;
  double left(double v) const { return a * v; }
  virtual ~Left() = default;
};
struct Right {
  double b;
  double right(double v) const { return b * v * v; }
  virtual double turned(double v) const { return b - v; }
  virtual ~Right() = default;
};
struct Both : Left, Right {
  double c;
  int uses = 0;
  double *kept;
  double both(double v) const { return a * b * c * v; }
  double turned(double v) const override { return c * v + b; }
};
double second(const double *x, int which) {
  using Member = double (Both::*)(double) const;
  static const Member table[] = {static_cast<Member>(&Left::left),
                                 static_cast<Member>(&Right::right), &Both::both,
                                 static_cast<Member>(&Right::turned)};
  Both o;
  o.a = x[0], o.b = x[1], o.c = x[2];
  o.kept = new double[2]{x[0] * x[1], x[2]};
  const Member m = table[which];
  double sum = 0;
  for (int i = 0; i < 4; ++i, ++o.uses)
    sum += (o.*m)(x[3] + i) + o.kept[i % 2];
  delete[] o.kept;
  return sum;
}
} // namespace
GRADIENT_CHECK(member_of_first, Double, second, In(double, 4), Int(0))
GRADIENT_CHECK(member_of_second, Double, second, In(double, 4), Int(1))
GRADIENT_CHECK(member_of_whole, Double, second, In(double, 4), Int(2))
GRADIENT_CHECK(member_overridden, Double, second, In(double, 4), Int(3))
