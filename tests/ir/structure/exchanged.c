// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that name something change places in pairs, in the word they are in. In the gradient no
// part of the word moves by itself, which could be a part of a float.
//
// RUN: %clang -O2 -S -emit-llvm %s -o - | FileCheck %s

extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);

union Feature {
  struct {
    char in1, out1, in2, out2;
  } edges;
  int value;
};

struct Contact {
  double depth;
  union Feature feature;
};

static void exchange(char *a, char *b) {
  const char old = *a;
  *a = *b;
  *b = old;
}

static double flipped(const double *x, struct Contact *c, const union Feature *old, int n) {
  for (int i = 0; i < n; i++) {
    c[i].feature = old[i];
    c[i].depth = x[i] * x[i];
    if (x[i] > 1) {
      exchange(&c[i].feature.edges.in1, &c[i].feature.edges.in2);
      exchange(&c[i].feature.edges.out1, &c[i].feature.edges.out2);
    }
  }
  return c[0].depth;
}

// CHECK-LABEL: define{{.*}} void @gradient(
// CHECK-NOT: store i16
// CHECK: @llvm.fshl.i32(i32 %[[W:[^,]*]], i32 %[[W]], i32 16)
// CHECK-NOT: store i16
// CHECK: ret void
void gradient(double *x, double *dx, struct Contact *c, struct Contact *dc,
              const union Feature *old, int n) {
  __enzyme_autodiff((void *)flipped, enzyme_dup, x, dx, enzyme_dup, c, dc, enzyme_const, old,
                    enzyme_const, n);
}
