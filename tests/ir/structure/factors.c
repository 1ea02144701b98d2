// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A factorisation in place: the row and the column that the innermost loop reads are never written
// again, so they are read from the matrix in reverse. The second function writes them later.
//
// RUN: %clang -O2 -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static void factors(double *a, int n) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

static void again(double *a, int n) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++)
      for (int j = 0; j < n; j++)
        a[i * n + j] *= a[k * n + j];
}

// CHECK-LABEL: tape plan of cf.adjoint.factors:
// CHECK-NOT: store 8 B x trip({{.*}}) x trip({{.*}}) x trip({{.*}})
// CHECK-LABEL: tape plan of cf.adjoint.again:
// CHECK: store 8 B x trip({{.*}}) x trip({{.*}})
void gradient(double *a, double *da, int n) {
  __enzyme_autodiff((void *)factors, enzyme_dup, a, da, enzyme_const, n);
  __enzyme_autodiff((void *)again, enzyme_dup, a, da, enzyme_const, n);
}
