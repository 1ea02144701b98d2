// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A structure of numbers that is assigned is loaded and stored number by number: no call of the
// runtime moves its adjoints, and in a region none of them is added atomically. Large ones, and
// those with other members, are copied as bytes; of arrays the front end does not say what they
// are.
//
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -S -emit-llvm %s -o - -DMEMBERS='double v,w,a,b,c,d,e,f,g;' | FileCheck %s --check-prefix=BYTES
// RUN: %clang -O2 -S -emit-llvm %s -o - -DMEMBERS='double v,w;double *p;' | FileCheck %s --check-prefix=BYTES

#ifndef MEMBERS
#define MEMBERS                                                                                    \
  double v, w;                                                                                     \
  float a, b;
#endif
struct Numbers {
  MEMBERS
};
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static void shifted(const struct Numbers *x, struct Numbers *y, long n) {
#pragma omp parallel for
  for (long i = 1; i < n; i++) {
    y[i] = x[i - 1];
    y[i].v *= y[i].w;
  }
}

// CHECK-NOT: call void @cf_v1_copy_adjoint
// CHECK-NOT: atomicrmw fadd
// BYTES: call void @cf_v1_copy_adjoint
void gradient(struct Numbers *x, struct Numbers *dx, struct Numbers *y, struct Numbers *dy,
              long n) {
  __enzyme_autodiff((void *)shifted, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
