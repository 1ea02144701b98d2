// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of another file that is declared without parameters, as C was written before
// prototypes, is named where it is called.
//
// RUN: %not %clang -std=gnu89 -w -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
extern void __enzyme_autodiff(void *, ...);
void scale();

double scaled(double *x) {
  // CHECK: no_prototype.c:[[@LINE+1]]:{{.*}}[CF201] {{.*}}'scale'
  scale(x, 2);
  return x[0] * x[1];
}

void gradient(double *x, double *x_bar) { __enzyme_autodiff((void *)scaled, x, x_bar); }
