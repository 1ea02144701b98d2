// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two worksharing loops of one region, in a loop over time that every thread runs: no atomics,
// since a barrier is between them, and between their reverses. Without any there are.
//
// RUN: %clang -O1 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O3 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -DNOWAIT -c %s -o %t.o -Rpass-missed=contraflow 2>&1 | FileCheck %s --check-prefix=NOWAIT

#ifdef NOWAIT
#define LOOP omp for nowait
#else
#define LOOP omp for
#endif
#define PRAGMA(x) _Pragma(#x)
#define DIVIDED(x) PRAGMA(x)

void __enzyme_autodiff(void *, ...);

static void steps(double *u, double *v, int n, int count) {
#pragma omp parallel
  for (int s = 0; s < count; s++) {
    DIVIDED(LOOP)
    for (int i = 1; i < n - 1; i++)
      v[i] = 0.5 * u[i] * u[i - 1] + 0.2 * u[i + 1];
    DIVIDED(LOOP)
    for (int i = 1; i < n - 1; i++)
      u[i] = 0.4 * v[i] + 0.3 * v[i + 1] * v[i - 1];
  }
}

void gradient(double *u, double *du, double *v, double *dv, int n, int count) {
  __enzyme_autodiff((void *)steps, u, du, v, dv, n, count);
}

// CHECK: define internal {{.*}} @cf.reverse.{{.*}}steps
// CHECK: call void @cf_v1_omp_share_open(
// CHECK: call void @cf_v1_omp_share_open(
// CHECK-NOT: atomicrmw fadd

// NOWAIT: added atomically: no loop of the region is divided among the threads in one piece each
