// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic updates of the words of active floats, as integers: of the sign, of the exponent. Counts
// and flags beside them are no floats.
//
// RUN: %not %clang -O0 -g -DOP=xor -DWITH=Sign -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -g -DOP=xor -DWITH=Sign -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -g -DOP=or -DWITH=Sign -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -g -DOP=and -DWITH=~Sign -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O0 -g -DOP=add -DWITH=Octave -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -g -DOP=sub -DWITH=Octave -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O0 -DOP=or -DWITH=2 -DMEMBER=flags -c %s -o %t.o
// RUN: %clang -O2 -DOP=xor -DWITH=Sign -DMEMBER=flags -c %s -o %t.o
// RUN: %clang -O2 -DOP=add -DWITH=1 -DMEMBER=flags -c %s -o %t.o
#ifndef MEMBER
#define MEMBER value
#endif
#define UPDATE_(op) __atomic_fetch_##op
#define UPDATE(op) UPDATE_(op)
#define Sign (1UL << 63)
#define Octave (1UL << 52)

double __enzyme_autodiff(void *, ...);

struct Number {
  double value;
  unsigned long flags;
};

static double sum(const double *x, struct Number *all, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    all[i].value = x[i] * x[i];
    // CHECK: atomic_bits.c:[[@LINE+1]]:{{.*}}[CF205] {{.*}}atomic update of bits
    UPDATE(OP)((unsigned long *)&all[i].MEMBER, WITH, __ATOMIC_RELAXED);
    s += all[i].value * x[i];
  }
  return s + (all[0].flags > 1);
}
void gradient(double *x, double *xb, struct Number *all, struct Number *bars, int n) {
  __enzyme_autodiff((void *)sum, x, xb, all, bars, n);
}
