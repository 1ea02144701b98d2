// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reverse of a sparse matrix-vector product under OpenMP: the adjoint of the vector is added to
// through indices, in a window of each thread's own; to that of the matrix plainly, if the two are
// apart. What a thread does to memory of its own beside the loop (the copy of an array that is
// reduced, a block of the heap), and to what it owns in a critical section behind, does not matter.
// Where a remainder says which numbers an index can be, the loop does not note each address.
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

static void histogram(const double *x, double *bins) {
#pragma omp parallel
  {
    double own[8] = {0}, *scratch = __builtin_malloc(16);
#pragma omp for nowait
    for (int i = 0; i < Size; i++) {
      scratch[0] = x[i];
      own[i % 8] += scratch[0] * x[i];
    }
    __builtin_free(scratch);
#pragma omp critical
    for (int b = 0; b < 8; b++)
      bins[b] += own[b];
  }
}

void sums(double *x, double *dx, double *bins, double *dbins) {
  __enzyme_autodiff((void *)histogram, enzyme_dup, x, dx, enzyme_dup, bins, dbins);
}

static void weights(const double *w, const double *x, double *y) {
#pragma omp parallel for
  for (int i = 0; i < Size; i++)
    y[i] = w[Column[i] % 64] * x[i];
}

void weigh(double *w, double *dw, double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff((void *)weights, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy);
}

// REVERSE: define internal {{.*}} @cf.augmented.{{.*}}product
// REVERSE: call void @cf_v1_omp_range_note(
// REVERSE: call void @cf_v1_omp_reach_note(
// REVERSE: define internal {{.*}} @cf.reverse.{{.*}}product
// REVERSE-DAG: call i32 @cf_v1_omp_window_cover(
// REVERSE-DAG: [[APART:%.*]] = {{.*}}call i32 @cf_v1_omp_range_apart(
// REVERSE-DAG: icmp {{eq|ne}} i32 [[APART]], 0
// REVERSE-DAG: call void @cf_v1_omp_window_add_f64(
// REVERSE-DAG: call void @cf_v1_omp_window_close_f64(

// REVERSE: define internal {{.*}} @cf.reverse.{{.*}}histogram
// REVERSE-NOT: atomicrmw fadd
// REVERSE: call void @cf_v1_omp_share_open(
// REVERSE-NOT: atomicrmw fadd
// REVERSE: {{^}}}

// REVERSE: define internal {{.*}} @cf.augmented.{{.*}}weights
// REVERSE: srem i32 {{.*}}, 64
// REVERSE-NOT: @llvm.smax.i64
// REVERSE: fmul double
// REVERSE: call void @cf_v1_omp_reach_note(

// REMARK: gather.c:23:{{.*}} the reverse of this loop adds through indices to 1 array, in a window
