// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of another file may initialise a thread-local variable from one that has a derivative: that
// is refused. It may not where the variable is defined here without such code, or where no other
// variable has a derivative.
//
// RUN: %not %clangxx -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clangxx -O0 -DALONE -c %s -o %t.o
// RUN: %clangxx -O2 -DALONE -c %s -o %t.o
// RUN: %clangxx -O0 -DDEFINED -c %s -o %t.o
// RUN: %clangxx -O2 -DDEFINED -c %s -o %t.o

extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);

double scale;
namespace grid {
extern thread_local double scratch[4];
#ifdef DEFINED
thread_local double scratch[4];
#endif
} // namespace grid

static double scaled(const double *x) {
#ifndef ALONE
  scale = x[0];
#endif
  // CHECK: [CF201] {{.*}}'_ZTHN4grid7scratchE', which may read 'scale'
  grid::scratch[1] = x[1] * x[1];
  return grid::scratch[1] * grid::scratch[0] + scale * x[1];
}
void gradient(double *x, double *x_bar) { __enzyme_autodiff((void *)scaled, enzyme_dup, x, x_bar); }
