// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gather through an index array that is promised to hold no number twice: plain additions, no
// window. On demand the program checks the promise, once per array.
//
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o - -Rpass=contraflow 2>%t.remarks | FileCheck %s --check-prefix=REVERSE
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o - -mllvm -contraflow-check-promises | FileCheck %s --check-prefix=CHECKED
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o - -DPLAIN | FileCheck %s --check-prefix=PLAIN

#include <contraflow/disjoint.h>

#ifdef PLAIN
#undef CONTRAFLOW_DISJOINT
#define CONTRAFLOW_DISJOINT(order, i) (order)[i]
#endif

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static void gather(const int *order, const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = x[CONTRAFLOW_DISJOINT(order, i)] * x[CONTRAFLOW_DISJOINT(order, i)];
}

void gradient(const int *order, double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)gather, enzyme_const, order, enzyme_dup, x, dx, enzyme_dup, y, dy,
                    enzyme_const, n);
}

// REVERSE-NOT: atomicrmw fadd
// REVERSE-NOT: cf_v1_omp_window_add
// REVERSE: call void @cf_v1_omp_share_open(
// REVERSE-NOT: atomicrmw fadd
// REVERSE-NOT: cf_v1_omp_window_add
// REVERSE-NOT: cf_v1_omp_check_promise

// REMARK: disjoint.c:24:{{.*}} without atomics

// CHECKED: call void @cf_v1_omp_check_promise(

// PLAIN: cf_v1_omp_window_add
