// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two rows of one array, anywhere in it: what lies between them is not copied. (stencil.c has
// neighbouring rows.)
//
// RUN: %clang -O2 -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static void far(double *a, long n, long m) {
  for (long i = 1; i < n; i++)
    for (long j = 0; j < i; j++) {
      double t = a[i * m + j];
      for (long k = 0; k < j; k++)
        t -= a[i * m + k] * a[j * m + k];
      a[i * m + j] = t;
    }
}

// CHECK: tape plan of {{.*}}far
// CHECK-NOT: snapshot on entry
void gradient(double *a, double *da, long n, long m) {
  __enzyme_autodiff((void *)far, enzyme_dup, a, da, enzyme_const, n, enzyme_const, m);
}
