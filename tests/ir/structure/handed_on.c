// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The next point is the one that the optimiser hands on. Its adjoint is not: the reverse
// vectorises. What it keeps meanwhile is released, though nothing is recorded.
//
// RUN: %clang -O2 -fno-math-errno -S -emit-llvm %s -o - | FileCheck %s

#include <math.h>

void __enzyme_autodiff(void *, ...);

static double length(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double dx = x[i + 1] - x[i], dy = y[i + 1] - y[i];
    sum += sqrt(dx * dx + dy * dy);
  }
  return sum;
}

// CHECK-LABEL: define internal {{.*}}@cf.adjoint.{{.*}}length
// CHECK-DAG: fdiv {{.*}}<2 x double>
// CHECK-DAG: call void @cf_v1_tape_end(
void gradient(const double *x, double *dx, const double *y, double *dy, int n) {
  __enzyme_autodiff((void *)length, x, dx, y, dy, n);
}
