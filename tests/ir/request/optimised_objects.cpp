// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that was optimised before opt runs the pass: where a member function was inlined, the
// optimiser knows as much of an object as of a reference; it is passed as it is all the same.
//
// RUN: clang++ -O2 -S -emit-llvm %s -o %t.ll && FileCheck --input-file=%t.ll --check-prefix=INPUT %s
// RUN: %opt -passes=enzyme %t.ll -o %t.bc && %cf_clangxx %t.bc -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O2 %s -o %t && %t | FileCheck %s
#include <cstdio>

extern int enzyme_dup, enzyme_const;
template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class... A> R __enzyme_autodiff_ref(void *, A &&...);

struct Law {
  virtual double energy(const double *x) const = 0;
  void gradient(const double *x, double *g) const {
    double (*f)(const Law *, const double *) = [](const Law *l, const double *z) {
      return l->energy(z);
    };
    // INPUT: dereferenceable(8)
    __enzyme_autodiff<void>(reinterpret_cast<void *>(f), enzyme_const, this, enzyme_dup, x, g);
  }
};
struct Spring final : Law {
  double k = 3;
  double energy(const double *x) const override { return k * (x[0] - x[1]) * (x[0] - x[1]); }
};
static double area(const double *x, double k) { return k * x[0] * x[1]; }

int main() {
  const Spring spring;
  const double x[2] = {1, 3};
  double g[2] = {0, 0};
  spring.gradient(x, g);
  // CHECK: object -12 12
  std::printf("object %g %g\n", g[0], g[1]);
  const double *where = x;
  double *shadow = g;
  __enzyme_autodiff_ref<void>(reinterpret_cast<void *>(area), enzyme_dup, where, shadow,
                              enzyme_const, 2.0);
  // CHECK: reference -6 14
  std::printf("reference %g %g\n", g[0], g[1]);
}
