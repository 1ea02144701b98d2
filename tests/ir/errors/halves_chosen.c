// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two floats that are kept and moved where doubles lie may be the halves of one, whose adjoint is
// no pair of floats. What moves at once is a word, and accepted.
//
// RUN: %not %clang -O0 -g1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -g1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O2 -DACCEPTED -c %s -o %t.o
// CHECK: halves_chosen.c:[[#@LINE+14]]{{.*}}[CF203] {{.*}}bits are stored into active memory
// CHECK: halves_chosen.c:[[#@LINE+31]]{{.*}}[CF203] {{.*}}bits are stored into active memory
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

// One by one: a member of floats among numbers is accepted.
typedef float Half __attribute__((may_alias));
struct Pair {
  float weight;
  double value;
};

static double each(const double *x, double *y, int n) {
#ifndef ACCEPTED
  for (int i = 0; i < 2 * n; i++)
    ((Half *)y)[i] = ((const Half *)x)[i];
#endif
  struct Pair pairs[4], more[4];
  for (int i = 0; i < 4; i++) {
    pairs[i].weight = (float)x[i];
    pairs[i].value = x[i + 1];
  }
  for (int i = 0; i < 4; i++)
    *(Half *)&more[i].weight = *(Half *)&pairs[i * n % 4].weight;
  double s = 0;
  for (int i = 0; i < 4; i++)
    s += y[i] * more[i].weight * pairs[i].value;
  return s;
}

void derivative(double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)chosen, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
  __enzyme_autodiff((void *)each, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
