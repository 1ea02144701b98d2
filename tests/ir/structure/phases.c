// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two worksharing loops of one region, in a loop over time that every thread runs: no atomics,
// since a barrier is between them, and between their reverses. Where the program has none, the
// reverse sweep has, unless a critical section is in front. What one thread does needs none.
//
// RUN: %clang -O1 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O3 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -DNOWAIT -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -DNOWAIT -S -emit-llvm %s -o - | FileCheck %s --check-prefix=MEET
// RUN: %clang -O2 -fopenmp -DCRITICAL -c %s -o %t.o -Rpass-missed=contraflow 2>&1 | FileCheck %s --check-prefix=CRITICAL
// RUN: %clang -O2 -fopenmp -DCHOSEN -S -emit-llvm %s -o - | FileCheck %s --check-prefix=CHOSEN

#if defined(NOWAIT) || defined(CRITICAL)
#define LOOP omp for nowait
#else
#define LOOP omp for
#endif
#define PRAGMA(x) _Pragma(#x)
#define DIVIDED(x) PRAGMA(x)

void __enzyme_autodiff(void *, ...);

#ifdef CHOSEN
static void steps(double *u, double *v, int n, int count) {
#pragma omp parallel
  {
#pragma omp single
    for (int i = 1; i < n; i++)
      v[i] = u[i] * u[i - 1];
#pragma omp masked
    for (int i = 1; i < n; i++)
      v[i] += v[i - 1] * u[0];
  }
}
#else
static void steps(double *u, double *v, int n, int count) {
#pragma omp parallel
  for (int s = 0; s < count; s++) {
#ifdef CRITICAL
#pragma omp critical
    u[0] *= u[1];
#endif
    DIVIDED(LOOP)
    for (int i = 1; i < n - 1; i++)
      v[i] = 0.5 * u[i] * u[i - 1] + 0.2 * u[i + 1];
    DIVIDED(LOOP)
    for (int i = 1; i < n - 1; i++)
      u[i] = 0.4 * v[i] + 0.3 * v[i + 1] * v[i - 1];
  }
}
#endif

void gradient(double *u, double *du, double *v, double *dv, int n, int count) {
  __enzyme_autodiff((void *)steps, u, du, v, dv, n, count);
}

// CHECK: define internal {{.*}} @cf.reverse.{{.*}}steps
// CHECK: call void @cf_v1_omp_share_open(
// CHECK: call void @cf_v1_omp_share_open(
// CHECK-NOT: atomicrmw fadd

// MEET: define internal {{.*}} @cf.reverse.{{.*}}steps
// MEET: call void @cf_v1_omp_share_close(
// MEET: call void @cf_v1_omp_barrier(
// MEET: call void @cf_v1_omp_share_open(

// CRITICAL: added atomically: no loop of the region is divided among the threads in one piece each

// CHOSEN: define internal {{.*}} @cf.reverse.{{.*}}steps
// CHOSEN-NOT: atomicrmw fadd
// CHOSEN-NOT: cf_v1_omp_share_open(
// CHOSEN: {{^}}}
