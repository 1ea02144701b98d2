// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scratch memory that each thread has for itself: what is read from it is added back plainly. Where
// the region hands its address on, another thread may add to it as well.
//
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o %t.own.ll
// RUN: FileCheck %s --check-prefix=OWN < %t.own.ll
// RUN: %clang -O2 -fopenmp -DHANDED_ON -S -emit-llvm %s -o %t.shared.ll
// RUN: FileCheck %s --check-prefix=SHARED < %t.shared.ll

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static double work[64];
#pragma omp threadprivate(work)

static void rows(double *y, const int *at, double **table, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#ifdef HANDED_ON
    table[i] = work;
#endif
    for (int k = 0; k < 64; k++)
      work[at[k]] = y[64 * i + k] * y[64 * i + k];
    for (int k = 0; k < 64; k++)
      y[64 * i + k] = work[k] * work[63 - k];
  }
}

void gradient(double *y, double *dy, int *at, double **table, double **dtable, int n) {
  __enzyme_autodiff((void *)rows, enzyme_dup, y, dy, enzyme_const, at, enzyme_dup, table, dtable,
                    enzyme_const, n);
}

// OWN: @work.shadow = internal thread_local
// OWN: define internal {{.*}} @cf.reverse.{{.*}}rows.omp_outlined(
// OWN-NOT: atomicrmw fadd
// OWN: {{^}}}

// SHARED: define internal {{.*}} @cf.reverse.{{.*}}rows.omp_outlined(
// SHARED: atomicrmw fadd
// SHARED: {{^}}}
