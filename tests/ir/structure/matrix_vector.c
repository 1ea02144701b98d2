// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reverse of a matrix-vector product under OpenMP: each thread sums the adjoint of the vector
// in memory of its own, in a loop that is vectorised.
//
// RUN: %clang -O2 -fopenmp -S -emit-llvm -g1 -Rpass=contraflow %s -o %t.ll 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REVERSE < %t.ll
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

int Size = 500;

static void product(const double *a, const double *x, double *y) {
#pragma omp parallel for
  for (int i = 0; i < Size; i++) {
    double sum = 0;
    for (int j = 0; j < Size; j++)
      sum += a[i * Size + j] * x[j];
    y[i] = sum;
  }
}

void gradient(double *a, double *da, double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff((void *)product, enzyme_dup, a, da, enzyme_dup, x, dx, enzyme_dup, y, dy);
}

// REVERSE: define internal {{.*}} @cf.reverse.{{.*}}product
// REVERSE-DAG: call void @cf_v1_omp_private_open(
// REVERSE-DAG: fmul {{.*}}<{{[248]}} x double>
// REVERSE-DAG: call void @cf_v1_omp_private_close_f64(

// REMARK: the reverse of this loop adds to 1 array in memory of each thread's own
