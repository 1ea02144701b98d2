// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of virtual functions of an object, for its shadow.
//
// RUN: %cf_clangxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O2 %s -o %t && %t | FileCheck %s
#include <cstdio>

extern int enzyme_dup;
template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class... A> R __enzyme_virtualreverse(A...);

struct Law {
  double scale;
  virtual double at(double) const { return 0; }
};
struct Square : Law {
  double at(double x) const override { return scale * x * x; }
};
static double applied(Law *law, double x) { return law->at(x); }

int main() {
  Square law, bar;
  law.scale = 3;
  bar.scale = 0;
  void **table = reinterpret_cast<void **>(static_cast<Law *>(&bar));
  *table = __enzyme_virtualreverse<void *>(*reinterpret_cast<void **>(static_cast<Law *>(&law)));
  const double slope = __enzyme_autodiff<double>(
      (void *)applied, enzyme_dup, static_cast<Law *>(&law), static_cast<Law *>(&bar), 2.0);
  // CHECK: 12 4
  std::printf("%g %g\n", slope, bar.scale);
}
