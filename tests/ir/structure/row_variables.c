// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of several variables: the rows of two variables are a part of an iteration apart, so all
// that a step of the stencil reads is one snapshot.
//
// RUN: %clang -O2 -fopenmp -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static void step(const double *x, double *y, long rows, long ld) {
#pragma omp parallel for schedule(static)
  for (long j = 1; j < rows; j++)
    for (long i = 0; i < ld; i++) {
      const double *at = x + 3 * j * ld + i;
      y[3 * j * ld + i] = at[0] * at[ld] * at[2 * ld] * at[-3 * ld];
    }
}

static void steps(double *x, double *y, long rows, long ld) {
  for (long s = 0; s < rows; s++) {
    step(x, y, rows, ld);
    double *t = x;
    x = y;
    y = t;
  }
}

// CHECK: snapshot on entry of {{.*}} for 4 loads
// CHECK-NOT: snapshot on entry of {{.*}} for {{[123]}} loads
void gradient(double *x, double *dx, double *y, double *dy, long rows, long ld) {
  __enzyme_autodiff((void *)steps, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, rows,
                    enzyme_const, ld);
}
