// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction over neighbours: each iteration loads what it needs again, and its reverse adds
// plainly.
//
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O3 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -c %s -o /dev/null -mllvm -contraflow-print-sharing 2>&1 | FileCheck %s --check-prefix=SHARING

void __enzyme_autodiff(void *, ...);

static double curvature(const double *x, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 1; i < n - 1; i++) {
    double d = x[i + 1] - 2 * x[i] + x[i - 1];
    s += d * d;
  }
  return s;
}

void gradient(const double *x, double *dx, int n) {
  __enzyme_autodiff((void *)curvature, x, dx, n);
}

// CHECK: define internal {{.*}} @cf.reverse.{{.*}}curvature
// CHECK: call void @cf_v1_omp_share_open(
// CHECK-NOT: atomicrmw fadd

// SHARING-NOT: atomic:
// SHARING: without atomics
// SHARING-NEXT: double
// SHARING-NEXT: double
// SHARING-NEXT: double
