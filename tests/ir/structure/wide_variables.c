// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that is read behind a hundred ways out of an iteration: where these join in the reverse,
// its adjoint has no phi. Nor has that of a value which only two of the hundred blocks know. Where
// there are few blocks, adjoints are in registers.
//
// RUN: %clang -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -S -emit-llvm %s -o - -DFEW | FileCheck --check-prefix=FEW %s

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

#define STEP(i)                                                                                    \
  y[i] = s * y[i];                                                                                 \
  if (k[i] > n)                                                                                    \
    continue;
#define STEP8(i)                                                                                   \
  STEP(i)                                                                                          \
  STEP((i) + 1) STEP((i) + 2) STEP((i) + 3) STEP((i) + 4) STEP((i) + 5) STEP((i) + 6) STEP((i) + 7)

static double steps(const double *x, double *y, const int *k, int n) {
  double s = x[0];
  for (int i = 0; i < n; i++) {
    const double a = x[1] * s, b = x[2] * s;
    if (k[i])
      y[n] += b * b;
    STEP8(0)
#ifndef FEW
    STEP8(8)
    STEP8(16)
    STEP8(24)
    STEP8(32)
    STEP8(40)
    STEP8(48)
    STEP8(56)
    STEP8(64)
    STEP8(72)
    STEP8(80)
    STEP8(88)
#endif
    s += a;
  }
  return s;
}

// CHECK: define internal {{.*}}@cf.adjoint.steps(
// CHECK: store volatile ptr
// FEW: define internal {{.*}}@cf.adjoint.steps(
// FEW-NOT: store volatile ptr
void gradient(double *x, double *dx, double *y, double *dy, int *k, int n) {
  __enzyme_autodiff((void *)steps, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, k,
                    enzyme_const, n);
}
