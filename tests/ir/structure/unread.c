// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward sweep of a region does not calculate a sum that nobody asks for. What it shares by
// address and only reads is read once, in front of the check that lets a whole nest do without the
// tape.
//
// RUN: %clang -O1 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fno-vectorize -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -mllvm -contraflow-print-plan -S -emit-llvm %s -o - 2>&1 | FileCheck --check-prefix=PLAN %s

#include <math.h>

double __enzyme_autodiff(void *, ...);

// CHECK: define {{.*}}@cf.augmented.cf.prepared.sum
// CHECK-NOT: call double @sqrt
// CHECK-NOT: fadd
// CHECK: {{^}}}
static double sum(const double *x, int n) {
  double total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; i++)
    total += sqrt(x[i]) * x[i];
  return total;
}
void sumGradient(double *x, double *dx, int n) { __enzyme_autodiff((void *)sum, x, dx, n); }

// PLAN: tape plan of cf.augmented.cf.prepared.stencil
// PLAN-NOT: store 1 B x trip
// PLAN: store 1 B ; {{.*}} and i1
// PLAN-NOT: store 1 B x trip
// PLAN: recompute
static void stencil(const double *u, double *v, int n) {
#pragma omp parallel for
  for (int k = 1; k < n - 1; k++)
    for (int j = 1; j < n - 1; j++)
      for (int i = 1; i < n - 1; i++) {
        double sum = 0;
        for (int c = -1; c <= 1; c++)
          for (int a = -1; a <= 1; a++)
            sum += u[((k + c) * n + j) * n + i + a];
        v[(k * n + j) * n + i] = sum * u[(k * n + j) * n + i];
      }
}
void stencilGradient(double *u, double *du, double *v, double *dv, int n) {
  __enzyme_autodiff((void *)stencil, u, du, v, dv, n);
}
