// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions and tasks in two branches. Without source locations the optimiser would merge the calls
// that begin them, and which body runs would be a value.
//
// RUN: %clang -O0 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O1 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O3 -fopenmp -S -emit-llvm %s -o - | FileCheck %s

#include <math.h>

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);

static void regions(const double *x, double *y, int n) {
  if (n > 7) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      y[i] = x[i] * x[i];
  } else {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      y[i] = sin(x[i]);
  }
}

static void tasks(const double *x, double *y, int n) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++) {
    if (i % 3) {
#pragma omp task firstprivate(i)
      y[i] = x[i] * x[i];
    } else {
#pragma omp task firstprivate(i)
      y[i] = cos(x[i]);
    }
  }
}

void gradient(double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)regions, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
  __enzyme_autodiff((void *)tasks, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
  __enzyme_fwddiff((void *)regions, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

// CHECK-DAG: call {{.*}}@__kmpc_fork_call({{.*}}@cf.augmented{{[^,]*}}regions
// CHECK-DAG: call {{.*}}@__kmpc_fork_call({{.*}}@cf.reverse{{[^,]*}}regions
// CHECK-DAG: define internal {{.*}}@cf.reverse{{.*}}tasks
