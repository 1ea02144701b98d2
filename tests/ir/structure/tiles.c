// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stencil that goes over its rows tile by tile: between two rows of a tile lie other tiles, so
// each row of it is copied by itself, and of the rows above and below only what is read is stored.
// Of whole rows, one copy holds all.
//
// RUN: %clang -O2 -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s
// RUN: %clang -O2 -DSIZE=16 -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s
// RUN: %clang -O2 -DWHOLE -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s --check-prefix=WHOLE

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

#ifndef SIZE
#define SIZE size
#endif
#ifdef WHOLE
#define END(from) (n - 1)
#else
#define END(from) (from + SIZE < n - 1 ? from + SIZE : n - 1)
#endif

static void steps(double *restrict x, double *restrict y, long n, long size, long count) {
  for (long s = 0; s < count; s++) {
    for (long j = 1; j < n - 1; j += SIZE)
      for (long i = 1; i < n - 1; i += SIZE)
        for (long v = j; v < END(j); v++)
          for (long u = i; u < END(i); u++)
            y[v * n + u] += x[v * n + u - 1] * x[v * n + u] * x[v * n + u + 1] *
                            x[(v - 1) * n + u] * x[(v + 1) * n + u];
    for (long i = 0; i < n * n; i++)
      x[i] += y[i];
  }
}

// CHECK-DAG: store 8 B x trip({{[^)]*}}) x trip([[ROW:[^)]*]])  ; {{.*}} = load double
// CHECK-DAG: snapshot on entry of [[ROW]] for 3 loads
// CHECK-NOT: for 5 loads
// WHOLE: snapshot on entry of {{.*}} for 5 loads
void gradient(double *x, double *dx, double *y, double *dy, long n, long size) {
  __enzyme_autodiff((void *)steps, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n,
                    enzyme_const, size, enzyme_const, n);
}
