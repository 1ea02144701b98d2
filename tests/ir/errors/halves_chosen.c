// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two floats that are kept and moved where doubles lie may be the halves of one, whose adjoint is
// no pair of floats. What moves at once is a word, and accepted.
//
// RUN: %not %clang -O0 -g1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -g1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O2 -DACCEPTED -c %s -o %t.o
// CHECK: halves_chosen.c:[[#@LINE+13]]{{.*}}[CF203] {{.*}}bits are stored into active memory
extern int enzyme_dup, enzyme_const;
extern void __enzyme_autodiff(void *, ...);

typedef float Halves __attribute__((vector_size(8), may_alias));

static double chosen(const double *x, double *y, int n) {
  Halves v = *(const Halves *)x;
  for (int i = 0; i < n; i++) {
#ifndef ACCEPTED
    if (i % 3 == 1)
#endif
      v = *(const Halves *)(x + i * 3 % n);
    *(Halves *)(y + i) = v;
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += y[i] * x[i];
  return s;
}

void derivative(double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)chosen, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
