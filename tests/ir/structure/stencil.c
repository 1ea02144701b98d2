// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reverse of a stencil under OpenMP: no atomics, phases planned by the runtime, the state
// recorded once as a snapshot, the reverse loop vectorised.
//
// RUN: %clang -O3 -fopenmp -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s --check-prefix=REVERSE < %t.ll
// RUN: FileCheck %s --check-prefix=ATOMICS < %t.ll
// RUN: %clang -O2 -fopenmp -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o - -mllvm -contraflow-sharing=0 | FileCheck %s --check-prefix=SHARED

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static void step(const double *x, double *y, long rows, long cols, long ld) {
#pragma omp parallel for schedule(static)
  for (long j = 1; j <= rows; j++)
    for (long i = 1; i <= cols; i++)
      y[j * ld + i] = x[j * ld + i] * x[j * ld + i - 1] + x[(j - 1) * ld + i] * x[(j + 1) * ld + i];
}

static void steps(double *x, double *y, long n, long count) {
  for (long s = 0; s < count; s++) {
    step(x, y, n, n, n + 2);
    double *t = x;
    x = y;
    y = t;
  }
}

void gradient(double *x, double *dx, double *y, double *dy, long n, long count) {
  __enzyme_autodiff((void *)steps, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n,
                    enzyme_const, count);
}

// PLAN: snapshot on entry of {{.*}} for 4 loads

// REVERSE: define internal {{.*}} @cf.reverse.{{.*}}step
// REVERSE-DAG: call void @cf_v1_omp_share_open(
// REVERSE-DAG: fmul {{.*}}<{{[248]}} x double>
// REVERSE-DAG: call void @cf_v1_add_f64(

// ATOMICS-NOT: atomicrmw fadd

// SHARED: atomicrmw fadd
