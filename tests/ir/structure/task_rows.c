// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A triangular solve in a task, with a copy of the block it divides by: each row is read where the
// task itself has written it, so nothing there is added atomically. The block is, once.
//
// RUN: %clang -O2 -fopenmp -S -emit-llvm -g1 -Rpass-missed=contraflow %s -o %t.ll 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=task_rows.c:17:14 < %t.remarks

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static void solve(const double *l, double *a, int n, int b) {
  for (int i = 0; i < b; i++)
    for (int j = 0; j < b; j++) {
      double s = a[i * n + j];
      for (int m = 0; m < j; m++)
        s -= a[i * n + m] * l[j * n + m];
      a[i * n + j] = s / l[j * n + j];
    }
}

static void rows(double *a, const double *l, int n, int b) {
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < n; k += b) {
#pragma omp task
    solve(l, a + k * n, n, b);
  }
}

void gradient(double *a, double *da, double *l, double *dl, int n, int b) {
  __enzyme_autodiff((void *)rows, enzyme_dup, a, da, enzyme_dup, l, dl, enzyme_const, n,
                    enzyme_const, b);
}

// REMARK: task_rows.c:17:29: {{.*}} is added atomically
