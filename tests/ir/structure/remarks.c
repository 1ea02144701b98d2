// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks name the loop: what it keeps, why an update is atomic, which loop needs no atomics. The
// versions of a loop say it once.
//
// RUN: %clang -O2 -fopenmp -c %s -o %t.o -Rpass=contraflow -Rpass-missed=contraflow \
// RUN:   -Rpass-analysis=contraflow 2>&1 | FileCheck %s
// RUN: %clang -O2 -fopenmp -c %s -o %t.o -Rpass-missed=contraflow -mllvm -contraflow-sharing=0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OFF

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static void steps(double *x, double *y, const int *from, long n, long count) {
  for (long s = 0; s < count; s++) {
#pragma omp parallel for
    for (long j = 1; j < n; j++)
      y[j] = x[j - 1] * x[j] * x[j + 1];
#pragma omp parallel for
    for (long j = 1; j < n; j++)
      x[j] = y[from[j]] * y[j];
  }
}

void gradient(double *x, double *dx, double *y, double *dy, const int *from, long n) {
  __enzyme_autodiff((void *)steps, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, from,
                    enzyme_const, n, enzyme_const, n);
}

// CHECK: remarks.c:17:{{.*}} an array that this loop reads at several places is copied once {{.*}}[-Rpass=contraflow]
// CHECK: remarks.c:17:{{.*}} adds to 3 footprints without atomics: {{.*}} [-Rpass=contraflow]
// CHECK: remarks.c:20:{{.*}} 16 bytes are kept for the reverse sweep, 2 values for each iteration [-Rpass-analysis=contraflow]
// CHECK: remarks.c:21:{{.*}} added atomically: its address is not affine in the divided loop [-Rpass-missed=contraflow]
// CHECK-NOT: remarks.c:17:

// OFF: remarks.c:18:{{.*}} added atomically: the sharing analysis is switched off
