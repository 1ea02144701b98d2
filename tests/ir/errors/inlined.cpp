// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that was inlined from the standard library is placed at the line that called it; code that
// was inlined from the user's own function, where the user wrote it. Two calls that fail for the
// same reason at the same place are one error.
//
// RUN: %not %clangxx -std=c++20 -O2 -c %s -o %t.o 2>&1 | FileCheck %s

#include <algorithm>

template <class... A> void __enzyme_autodiff(void *, A...);
double elsewhere(double);

// CHECK: inlined.cpp:[[@LINE+1]]:47: error: [CF201] {{.*}}'elsewhere(double)'
static inline double inner(double x) { return elsewhere(x); }
double outer(double x) { return inner(x) + 1.0; }

void sweep(double *x, int n) {
  // CHECK: inlined.cpp:[[@LINE+1]]:3: error: [CF201] {{.*}}'elsewhere(double)'
  std::transform(x, x + n, x, elsewhere);
}

void user(double *x, double *x_bar) {
  __enzyme_autodiff((void *)outer, *x);
  __enzyme_autodiff((void *)outer, *x_bar);
  __enzyme_autodiff((void *)sweep, x, x_bar, 3);
}
// CHECK: 2 errors generated.
