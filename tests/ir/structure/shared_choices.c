// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that may lead to the same many functions choose in one place after the first three.
//
// RUN: %clang -O2 -S -emit-llvm %s -o - | FileCheck %s

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static inline double bend(double x, int n, int k) {
  for (int i = 0; i < n; ++i)
    x = x * x / (k + 1) + (x + k) / (x * x + k + 2);
  return x;
}

static double law0(double x, int n) { return bend(x, n, 0); }
static double law1(double x, int n) { return bend(x, n, 1); }
static double law2(double x, int n) { return bend(x, n, 2); }
static double law3(double x, int n) { return bend(x, n, 3); }
static double law4(double x, int n) { return bend(x, n, 4); }
static double law5(double x, int n) { return bend(x, n, 5); }
static double law6(double x, int n) { return bend(x, n, 6); }
static double law7(double x, int n) { return bend(x, n, 7); }
static double law8(double x, int n) { return bend(x, n, 8); }
static double law9(double x, int n) { return bend(x, n, 9); }

typedef double (*Law)(double, int);
static const Law Laws[] = {law0, law1, law2, law3, law4, law5, law6, law7, law8, law9};

static double chosen(const double *x, const int *k) {
  double s = 0;
  s += Laws[k[0]](x[0], 3);
  s += Laws[k[1]](s, 4);
  s += Laws[k[2]](x[1], 5);
  s += Laws[k[3]](s, 6);
  s += Laws[k[4]](x[2], 7);
  s += Laws[k[5]](s, 8);
  s += Laws[k[6]](x[3], 9);
  return s;
}

// CHECK-LABEL: define {{.*}} @cf.adjoint.chosen(
// CHECK-COUNT-3: call void @cf_v1_unknown_callee(
// CHECK-NOT:   call void @cf_v1_unknown_callee(
// CHECK-LABEL: {{^}}}
// CHECK-LABEL: define {{.*}} @cf.augmented.cf.prepared.cf.choice(
// CHECK-COUNT-1: call void @cf_v1_unknown_callee(
// CHECK-NOT:   call void @cf_v1_unknown_callee(
void gradient(const double *x, double *dx, const int *k) {
  __enzyme_autodiff((void *)chosen, enzyme_dup, x, dx, enzyme_const, k);
}
