// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the program that have the names of functions of the system, but not their types, are
// not taken for those: their derivatives would be zero.
//
// RUN: %not %clang -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
extern void __enzyme_autodiff(void *, ...);

double access(const double *x, int n);
void read(double *into, const double *from);

double weighed(const double *x) {
  double y[3] = {0, 0, 0};
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'read'
  read(y, x);
  // CHECK: own_names.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'access'
  return y[0] * access(x, 3);
}
void slope(const double *x, double *dx) { __enzyme_autodiff((void *)weighed, x, dx); }
