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
