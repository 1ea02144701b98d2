// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that may lead to the same many functions choose in one place after the first three.
//
// RUN: %clang -O2 -S -emit-llvm %s -o - | FileCheck %s

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

#define LAW(K)                                                                                     \
  static double law##K(double x, int n) {                                                          \
    for (int i = 0; i < n; ++i)                                                                    \
      x = x * x / (K + 1) + (x + K) / (x * x + K + 2);                                             \
    return x;                                                                                      \
  }
LAW(0)
LAW(1) LAW(2) LAW(3) LAW(4) LAW(5) LAW(6) LAW(7) LAW(8) LAW(9)

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
