// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several derivatives of one function are made from is prepared once, with its regions, and
// nothing of what is kept for that is left.
//
// RUN: %clang -O0 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// CHECK-NOT: cf.template
// CHECK: define {{.*}}@cf.adjoint.step(
// CHECK-NOT: cf.template
// CHECK: define {{.*}}@cf.tangent.step(
// CHECK-NOT: cf.template

void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);

static void step(const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    y[i] = x[i] * x[i - 1];
}

void gradient(double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)step, x, dx, y, dy, n);
}

void derivative(double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_fwddiff((void *)step, x, dx, y, dy, n);
}
