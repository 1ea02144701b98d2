// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region that adds for the sake of other threads is there twice: where one thread runs, it adds
// plainly, asks no window, and notes no addresses. What the program itself adds atomically becomes
// plain only if the process has never had a second thread.
//
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s --check-prefix=TEAM < %t.ll
// RUN: FileCheck %s --check-prefix=ALONE < %t.ll

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static void edges(const double *u, double *r, const int *ends, int n) {
#pragma omp parallel for
  for (int e = 0; e < n; e++) {
    const double flux = u[ends[2 * e]] * u[ends[2 * e + 1]];
#pragma omp atomic
    r[ends[2 * e]] += flux;
#pragma omp atomic
    r[ends[2 * e + 1]] -= flux;
  }
}

void gradient(double *u, double *du, double *r, double *dr, int *ends, int n) {
  __enzyme_autodiff((void *)edges, enzyme_dup, u, du, enzyme_dup, r, dr, enzyme_const, ends,
                    enzyme_const, n);
}

// TEAM: define internal {{.*}} @cf.augmented.{{.*}}edges.omp_outlined(
// TEAM: call i32 @cf_v1_omp_is_only()
// TEAM: atomicrmw fadd
// TEAM: define internal {{.*}} @cf.reverse.{{.*}}edges.omp_outlined(
// TEAM: call i32 @cf_v1_omp_is_alone()
// TEAM: call void @cf_v1_omp_window_add_f64(

// ALONE: define internal {{.*}} @cf.augmented.{{.*}}edges.omp_outlined.alone(
// ALONE-NOT: atomic
// ALONE-NOT: llvm.smin.i64
// ALONE: {{^}}}
// ALONE: define internal {{.*}} @cf.reverse.{{.*}}edges.omp_outlined.alone(
// ALONE-NOT: atomic
// ALONE-NOT: cf_v1_omp
// ALONE: {{^}}}
