// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions each of which calls the next one twice: written out, the lowest one would be there 2048
// times, and with loops 279 000 instructions. Most of them stay calls, also in loops.

// RUN: %clang -O2 -DTIMES=1 %s -S -emit-llvm -o - | FileCheck %s
// RUN: %clang -O2 -DTIMES=3 %s -S -emit-llvm -o - | FileCheck %s
// RUN: %clang -O2 -DTIMES=3 %s -S -emit-llvm -o - | grep -c ' = ' | awk '$1 < 20000 { print "short" }' | FileCheck --check-prefix=SIZE %s

// CHECK: call {{.*}}@cf.augmented.cf.prepared.f
// CHECK: call {{.*}}@cf.reverse.cf.prepared.f
// SIZE: short

#include <math.h>

extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup;

static double f0(const double *x, double a) {
  double s = a;
  for (int i = 0; i < 4; ++i)
    s += sin(x[i] * s);
  return s;
}

#define LEVEL(K, NEXT)                                                                             \
  static double f##K(const double *x, double a) {                                                  \
    double s = 0.1 * K + a;                                                                        \
    for (int i = 0; i < TIMES; ++i) {                                                              \
      s += f##NEXT(x, a * x[K % 4]);                                                               \
      if (s > 0.3)                                                                                 \
        s += f##NEXT(x + 1, s * 0.5);                                                              \
    }                                                                                              \
    return s * a;                                                                                  \
  }
// clang-format off
LEVEL(1, 0) LEVEL(2, 1) LEVEL(3, 2) LEVEL(4, 3) LEVEL(5, 4) LEVEL(6, 5)
LEVEL(7, 6) LEVEL(8, 7) LEVEL(9, 8) LEVEL(10, 9) LEVEL(11, 10)
    // clang-format on

    static double tower(const double *x) {
  return f11(x, 1.0);
}

void gradient(const double *x, double *d) { __enzyme_autodiff((void *)tower, enzyme_dup, x, d); }
