// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable of a thread is made where a function comes to it first, and its destructor is
// registered there: an adjoint in several directions would do that again.
//
// RUN: %not %clangxx -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
#include <vector>

extern int enzyme_dup, enzyme_width;
template <class R, class... A> R __enzyme_autodiff(void *, A...);

thread_local std::vector<double> kept;
// CHECK: error: [CF209] {{.*}}'enzyme_width' in an adjoint of a function that changes memory
double first(const double *x) {
  kept.assign(x, x + 3);
  return kept[0] * kept[2];
}
void ask(const double *x, double *a, double *b) {
  __enzyme_autodiff<void>((void *)first, enzyme_width, 2, enzyme_dup, x, a, b);
}
