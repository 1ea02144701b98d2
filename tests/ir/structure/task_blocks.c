// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reverse of a task that multiplies blocks of a matrix: what it reads many times is copied
// once, and the loops that do the work add without atomics, in vectors.
//
// RUN: %clang -O2 -fopenmp -S -emit-llvm -g1 -Rpass=contraflow %s -o %t.ll 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REVERSE < %t.ll
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static void update(const double *x, const double *y, double *c, int n, int b) {
  for (int i = 0; i < b; i++)
    for (int k = 0; k < b; k++)
      for (int j = 0; j < b; j++)
        c[i * n + j] -= x[i * n + k] * y[k * n + j];
}

static void product(double *a, int n, int b) {
#pragma omp parallel
#pragma omp single
  for (int j = b; j < n; j += b) {
#pragma omp task depend(in : a[0], a[j]) depend(inout : a[b * n + j])
    update(a, a + j, a + b * n + j, n, b);
  }
}

void gradient(double *a, double *da, int n, int b) {
  __enzyme_autodiff((void *)product, enzyme_dup, a, da, enzyme_const, n, enzyme_const, b);
}

// REVERSE: define internal {{.*}} @cf.reverse.{{.*}}task(
// REVERSE-DAG: fmul {{.*}}<{{[248]}} x double>
// REVERSE-DAG: atomicrmw fadd

// REMARK-COUNT-2: task_blocks.c:17:{{.*}} what the task reads here is copied once
