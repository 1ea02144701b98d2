// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An integer member of a structure passed by value has no shadow: the derivative of a number whose
// bits it holds would be lost. With enzyme_runtime_activity pointers are compared with their
// shadows.
//
// RUN: %not %clang -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O2 -DWITHOUT -S -emit-llvm %s -o - | FileCheck %s --check-prefix=SHADOWS

extern int enzyme_dup, enzyme_runtime_activity;
double __enzyme_fwddiff(void *, ...);
void __enzyme_autodiff(void *, ...);

#ifndef WITHOUT
struct Bits {
  unsigned long bits;
  double y;
};
// CHECK: by_value_bits.c:[[@LINE+1]]:{{.*}}[CF203] {{.*}}an integer member of a structure
double scaled(struct Bits s) {
  double x;
  __builtin_memcpy(&x, &s.bits, 8);
  return x * x * s.y;
}
double tangent(struct Bits s, struct Bits d) {
  return __enzyme_fwddiff((void *)scaled, enzyme_dup, s, d);
}
#endif

struct Arrays {
  double *x;
  int *index, n;
};
double sum(const struct Arrays *a) {
  double sum = 0;
  for (int i = 0; i < a->n; ++i)
    sum += a->x[a->index[i]];
  return sum;
}
// SHADOWS-NOT: @cf_v1_check_shadow
// SHADOWS: select i1 {{.*}}, ptr @cf.nowhere, ptr
// SHADOWS-NOT: @cf_v1_check_shadow
void gradient(struct Arrays *a, struct Arrays *a_bar) {
  __enzyme_autodiff((void *)sum, enzyme_runtime_activity, enzyme_dup, a, a_bar);
}
