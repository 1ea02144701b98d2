// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a region reads stays as it is if the region runs once and its arrays are found to be apart
// when it does: nothing of them is recorded in that version. A scalar captured by reference is
// loaded in front of both versions of the loop, and its adjoint added once per thread: atomically,
// unless there is one thread.
//
// RUN: %clang -O2 -fopenmp -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s --check-prefix=REVERSE

extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);

static void scale(double a, const double *x, double *y, int rows, int cols) {
#pragma omp parallel for
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < cols; i++)
      y[j * cols + i] = a * x[j * cols + i] * x[j * cols + i];
}

double gradient(double a, double *x, double *dx, double *y, double *dy, int n) {
  return __enzyme_autodiff((void *)scale, a, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n,
                           enzyme_const, n);
}

// In regions of many steps it is the caller's promise that tells them apart, in every one.
double __enzyme_autodiff_steps(void *, ...);
static void steps(double a, const double *restrict x, double *restrict y, const int *at, int n,
                  int count) {
  for (int s = 0; s < count; s++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      y[i] = a * x[at[i]] * x[i] + 0.9 * y[i];
  }
}

void gradientOfSteps(double *x, double *dx, double *y, double *dy, const int *at, int n) {
  __enzyme_autodiff_steps((void *)steps, 0.5, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const,
                          at, enzyme_const, n, enzyme_const, n);
}

// The version for arrays that overlap stores; the other one does not.
// PLAN: tape plan of cf.augmented
// PLAN: store 8 B x trip({{.*}}) x trip({{.*}}) {{.*}} = load double
// PLAN-NOT: trip({{.*}} = load double
// PLAN: tape plan of cf.augmented.{{.*}}steps
// PLAN-NOT: trip({{.*}} = load double

// REVERSE: define internal {{.*}} @cf.reverse.{{.*}}scale
// REVERSE: [[ALONE:%.*]] = {{.*}}call i32 @cf_v1_omp_is_alone()
// REVERSE: icmp eq i32 [[ALONE]], 0
// REVERSE-COUNT-1: atomicrmw fadd
// REVERSE-NOT: atomicrmw fadd
// REVERSE: {{^}}}

// What is cleared or copied in front of the region is written before it.
double __enzyme_autodiff_filled(void *, ...);
static double filled(const double *x, int n) {
  static double cleared[100], copied[100];
  double sum = 0;
  __builtin_memset(cleared, 0, n * sizeof(double));
  __builtin_memcpy(copied, x, n * sizeof(double));
  for (int i = 0; i < n; i += 3)
    cleared[i] += x[i];
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += cleared[i] * cleared[i] * copied[i] * copied[i];
  return sum;
}

void gradientOfFilled(double *x, double *dx, int n) {
  __enzyme_autodiff_filled((void *)filled, enzyme_dup, x, dx, enzyme_const, n);
}

// PLAN: tape plan of cf.augmented.{{.*}}filled
// PLAN-NOT: trip({{.*}} = load double

// So is what a loop of the region itself writes, if all threads wait behind it and none comes back.
static double prepared(const double *restrict x, const long *order, int n, int steps) {
  static long at[100];
  static double table[100], value[100];
  double sum = 0;
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      at[i] = order[i] / 2;
#pragma omp for
    for (int i = 0; i < n; i++)
      table[i] = 1.0 / x[i];
    for (int s = 0; s < steps; s++) {
#pragma omp for
      for (int i = 0; i < n; i++)
        value[i] = value[i] + table[i] * table[at[i]];
    }
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < n; i++)
      sum += value[i];
  }
  return sum;
}

void __enzyme_autodiff_prepared(void *, ...);
void gradientOfPrepared(double *x, double *dx, const long *order, int n) {
  __enzyme_autodiff_prepared((void *)prepared, enzyme_dup, x, dx, enzyme_const, order, enzyme_const,
                             n, enzyme_const, n);
}

// PLAN: tape plan of cf.augmented.{{.*}}prepared
// PLAN-NOT: trip({{.*}} = load {{double|i64}}

// What is written in front of all runs of a region, and not again, is found as well.
static double repeated(const double *restrict x, int n, int steps) {
  static double table[100], value[100];
  double sum = 0;
  for (int i = 0; i < n; i++)
    table[i] = 0.5 * x[i];
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      value[i] = value[i] + table[i] * table[i];
  }
  for (int i = 0; i < n; i++)
    sum += value[i];
  return sum;
}

void __enzyme_autodiff_repeated(void *, ...);
void gradientOfRepeated(double *x, double *dx, int n) {
  __enzyme_autodiff_repeated((void *)repeated, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, n);
}

// PLAN: tape plan of cf.augmented.{{.*}}repeated
// PLAN-NOT: trip({{.*}} = load double

// Without a promise, a check in the first run and in all others is the same: x is recorded in the
// version for arrays that overlap, and there alone.
static void again(double a, const double *x, double *y, int n, int count) {
  for (int s = 0; s < count; s++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      y[i] = a * x[i] + 0.9 * y[i];
  }
}

void __enzyme_autodiff_again(void *, ...);
void gradientOfRuns(double *x, double *dx, double *y, double *dy, int n, int count) {
  __enzyme_autodiff_again((void *)again, 0.5, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n,
                          enzyme_const, count);
}

// PLAN: tape plan of cf.augmented.{{.*}}again
// PLAN-COUNT-1: trip({{.*}} = load double
// PLAN-NOT: trip({{.*}} = load double
