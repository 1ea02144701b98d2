// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reverse of a sparse matrix-vector product under OpenMP: the adjoint of the vector is added to
// through indices, in a window of each thread's own; to that of the matrix plainly, if the two are
// apart.
//
// RUN: %clang -O2 -fopenmp -S -emit-llvm -g1 -Rpass=contraflow %s -o %t.ll 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REVERSE < %t.ll
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

int Size = 500, Column[4000];

static void product(const double *a, const double *x, double *y) {
#pragma omp parallel for
  for (int i = 0; i < Size; i++) {
    double sum = 0;
    for (int k = 0; k < 8; k++)
      sum += a[i * 8 + k] * x[Column[i * 8 + k]];
    y[i] = sum;
  }
}

void gradient(double *a, double *da, double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff((void *)product, enzyme_dup, a, da, enzyme_dup, x, dx, enzyme_dup, y, dy);
}

// REVERSE: define internal {{.*}} @cf.augmented.{{.*}}product
// REVERSE: call void @cf_v1_omp_range_note(
// REVERSE: define internal {{.*}} @cf.reverse.{{.*}}product
// REVERSE-DAG: [[APART:%.*]] = {{.*}}call i32 @cf_v1_omp_range_apart(
// REVERSE-DAG: icmp {{eq|ne}} i32 [[APART]], 0
// REVERSE-DAG: call void @cf_v1_omp_window_add_f64(
// REVERSE-DAG: call void @cf_v1_omp_window_close_f64(

// REMARK: gather.c:21:{{.*}} the reverse of this loop adds through indices to 1 array, in a window
