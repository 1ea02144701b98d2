// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A threadprivate variable that another file defines. The compiler calls what may initialise it in
// front of each use; that is no unknown function, and its adjoint is thread-local.
//
// RUN: %clang -O0 -fopenmp -S -emit-llvm %s -o %t.0.ll
// RUN: FileCheck %s < %t.0.ll
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o %t.2.ll
// RUN: FileCheck %s < %t.2.ll

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

extern double scratch[8];
#pragma omp threadprivate(scratch)

static void products(const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 8; k++)
      scratch[k] = x[i] * x[k];
    y[i] = scratch[i % 8] * scratch[1];
  }
}

void gradient(double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)products, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

// CHECK: @scratch.shadow = internal thread_local
// CHECK: define internal {{.*}} @cf.reverse.{{.*}}products.omp_outlined(
