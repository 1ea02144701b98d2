// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread gets which iterations is known when it happens: the run finds out once whether they
// are apart, and adds plainly then.
// A row of a matrix begins at an index that the optimiser has made wide and narrow again.
//
// RUN: %clang -O1 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O3 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -DTYPE=unsigned -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -DTYPE=long -DCLAUSE=guided -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -DROWS -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -DROWS -DCLAUSE=static -S -emit-llvm %s -o - | FileCheck %s --check-prefix=STATIC

#ifndef TYPE
#define TYPE int
#endif
#ifndef CLAUSE
#define CLAUSE dynamic, 16
#endif
#define PRAGMA(x) _Pragma(#x)
#define DEALT(clause) PRAGMA(omp parallel for schedule(clause))

void __enzyme_autodiff(void *, ...);
double sin(double);

static void scale(double *x, double *y, TYPE n) {
  DEALT(CLAUSE)
  for (TYPE i = 0; i < n; ++i)
#ifdef ROWS
    for (int k = 0; k < n; ++k)
      y[i] += sin(x[i * n + k]);
#else
    y[i] = x[i] * x[i];
#endif
}

void gradient(double *x, double *dx, double *y, double *dy, TYPE n) {
  __enzyme_autodiff((void *)scale, x, dx, y, dy, n);
}

// CHECK: define internal {{.*}} @cf.reverse.{{.*}}scale
// CHECK: call i32 @cf_v1_omp_pieces_apart(

// STATIC: define internal {{.*}} @cf.reverse.{{.*}}scale
// STATIC: call void @cf_v1_omp_share_open(
// STATIC-NOT: atomicrmw fadd
