// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A structure of numbers that is assigned is loaded and stored number by number: no call of the
// runtime moves its adjoints, and in a region none of them is added atomically. The front end says
// so of members, what else is done to them of arrays. Large structures, and those with other
// members, are copied as bytes.
//
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fopenmp -S -emit-llvm %s -o - -DARRAY -DMEMBERS='double a[2], w, v;' | FileCheck %s
// RUN: %clang -O2 -S -emit-llvm %s -o - -DMEMBERS='double v,w,a,b,c,d,e,f,g;' | FileCheck %s --check-prefix=BYTES
// RUN: %clang -O2 -S -emit-llvm %s -o - -DPOINTER -DMEMBERS='double v,w;double *a;' | FileCheck %s --check-prefix=BYTES

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
#ifdef POINTER
    y[i].v *= *y[i].a;
#endif
#ifdef ARRAY
    y[i].a[0] *= y[i].a[1];
#endif
  }
}

// CHECK-NOT: call void @cf_v1_copy_{{.*}}adjoint
// CHECK-NOT: atomicrmw fadd
// BYTES: call void @cf_v1_copy_{{.*}}adjoint
void gradient(struct Numbers *x, struct Numbers *dx, struct Numbers *y, struct Numbers *dy,
              long n) {
  __enzyme_autodiff((void *)shifted, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
