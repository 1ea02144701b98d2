// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lies in memory that is freed later, or that each step allocates anew, is read there again
// and not recorded; so are numbers that are handed from one iteration to the next.
//
// RUN: %clang -O2 -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s

#include <stdlib.h>

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

// CHECK-LABEL: tape plan of cf.adjoint.gather
// CHECK-NOT: store 4 B
// CHECK: store 8 B x trip({{[^)]*}}) x trip({{[^)]*}})  ; {{.*}} = phi double
// CHECK-NOT: store 4 B
static double gather(const double *x, int n, int steps) {
  int *at = malloc(n * sizeof *at);
  for (int i = 0; i < n; i++)
    at[i] = (i * 7 + 3) % n;
  double s = 0;
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++)
      s += x[at[i]] * x[i] * s;
  free(at);
  return s;
}

// CHECK-LABEL: tape plan of cf.adjoint.anew
// CHECK-NOT: snapshot
// CHECK-NOT: store 8 B x trip({{[^)]*}}) x trip
static double anew(const double *x, int n, int steps) {
  double s = 0;
  for (int t = 0; t < steps; t++) {
    double *w = malloc(n * sizeof *w);
    for (int i = 0; i < n; i++)
      w[i] = x[i] * x[i];
    for (int i = 1; i < n - 1; i++)
      s += w[i] * w[i - 1] * w[i + 1];
    free(w);
  }
  return s;
}

void gradient(double *x, double *dx, int n, int steps) {
  __enzyme_autodiff((void *)gather, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, steps);
  __enzyme_autodiff((void *)anew, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, steps);
}
