// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that many requests lead to has one derivative, which all of them call. Two requests
// have a copy each.

// RUN: %clang -O2 %s -S -emit-llvm -o - | FileCheck %s
// RUN: %clang -O2 -DTWO %s -S -emit-llvm -o - | FileCheck --check-prefix=TWO %s

// CHECK-COUNT-1: define {{.*}}@cf.augmented.cf.prepared.flow
// CHECK-NOT: define {{.*}}@cf.augmented.
// CHECK-COUNT-1: define {{.*}}@cf.reverse.cf.prepared.flow
// CHECK-NOT: define {{.*}}@cf.reverse.
// TWO-NOT: @cf.augmented.
// TWO: define {{.*}}@cf.adjoint.first2
// TWO-NOT: @cf.augmented.

#include <math.h>

extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup;

static double flow(const double *x, double a, int n) {
  double s = a, t = 0.1;
#define STEP(K)                                                                                    \
  for (int i = 0; i < n; ++i) {                                                                    \
    s = 0.5 * s + sin(x[(i + K) % 8] * s);                                                         \
    t = 0.25 * t + 0.01 * K * x[K] * s;                                                            \
  }                                                                                                \
  s = s > 0.1 * K ? s - exp(-t * t) : s + 0.1 * t;
  // clang-format off
  STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
      // clang-format on
      return s *
      t;
}

#define REQUEST(K)                                                                                 \
  static double first##K(const double *x) { return K * flow(x, x[K % 8], K + 2); }                 \
  void gradient##K(const double *x, double *d) {                                                   \
    __enzyme_autodiff((void *)first##K, enzyme_dup, x, d);                                         \
  }
REQUEST(1)
REQUEST(2)
#ifndef TWO
// clang-format off
REQUEST(3) REQUEST(4) REQUEST(5) REQUEST(6) REQUEST(7) REQUEST(8) REQUEST(9)
REQUEST(10) REQUEST(11) REQUEST(12) REQUEST(13) REQUEST(14) REQUEST(15) REQUEST(16) REQUEST(17)
REQUEST(18) REQUEST(19) REQUEST(20)
// clang-format on
#endif
