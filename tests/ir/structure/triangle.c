// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs of an array that is overwritten later: one copy in front of the outer loop in place of a
// value for each pair, and nothing else is kept for each pair.
//
// RUN: %clang -O2 -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static double energy(double *x, long n, long steps) {
  double sum = 0;
  for (long s = 0; s < steps; s++) {
    for (long i = 0; i < n; i++)
      for (long j = i + 1; j < n; j++) {
        const double far = x[i] - x[j];
        sum += far * far * far * far;
      }
    for (long i = 0; i < n; i++)
      x[i] += 0.1;
  }
  return sum;
}

void gradient(double *x, double *dx, long n, long steps) {
  __enzyme_autodiff((void *)energy, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, steps);
}

// CHECK: tape plan of
// CHECK: snapshot on entry of {{.*}} for
// CHECK-NOT: store 8 B x trip(%{{[0-9]+}})  ;
