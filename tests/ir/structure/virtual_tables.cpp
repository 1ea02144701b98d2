// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of virtual functions is its own shadow, also where it is one object with the members of
// the objects that lead to it: a derivative of the derivative would take a variable for it.
//
// RUN: %clangxx -std=c++20 -O1 -S -emit-llvm %s -o - | FileCheck %s

#include <cmath>
#include <list>
#include <memory>

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

// CHECK-NOT: @_ZTV{{.*}}shadow
// CHECK-DAG: @_ZTV8Weighted =
// CHECK-DAG: @_ZTV6Listed =
// CHECK-NOT: @_ZTV{{.*}}shadow
struct Part {
  virtual ~Part() = default;
  virtual void fill(const double *x) = 0;
  virtual double fold(double s) const = 0;
};

struct Weighted : Part {
  double a = 0, b = 0, w = 0;
  void fill(const double *x) override {
    a = x[0];
    b = x[1];
    w = x[2];
  }
  double fold(double s) const override { return std::tanh(s * a + b) + w * w; }
};

struct Listed : Part {
  std::list<double> l;
  double w = 0;
  void fill(const double *x) override {
    l.resize(2);
    for (double &e : l)
      e = *x++;
    w = *x;
  }
  double fold(double s) const override {
    for (const double e : l)
      s = std::tanh(s * 0.75 + e);
    return s * 0.6 + w * w;
  }
};

static double parts(const double *x, const int *kinds, int n) {
  double s = 0.1;
  for (int i = 0; i < n; i++) {
    std::unique_ptr<Part> p(kinds[i] ? static_cast<Part *>(new Weighted) : new Listed);
    p->fill(x + i);
    s += p->fold(s);
  }
  return s;
}
void gradient(const double *x, double *dx, const int *kinds, int n) {
  __enzyme_autodiff((void *)parts, enzyme_dup, x, dx, enzyme_const, kinds, enzyme_const, n);
}
