// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang 22 makes invalid code of a scanned array. Where a derivative is asked for, that is said
// once, at the construct; the rest of the file is compiled as without the plugin.
//
// RUN: not %clang -fopenmp -O2 -DASK -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -fopenmp -O2 -c %s -o %t.o
// CHECK: invalid_code.c:[[#@LINE + 5]]:{{.*}}[CF110] the compiler has made code of this that is not valid
// CHECK: 1 error generated

void moments(const double *x, double *y, int n) {
  double sum[3] = {0, 0, 0};
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++)
      sum[k] += x[i] * (k + 1);
#pragma omp scan inclusive(sum)
    y[i] = sum[0] * sum[1] + sum[2];
  }
}

#ifdef ASK
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
void gradient(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)moments, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
#endif
