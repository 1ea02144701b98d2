// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of 300 functions, as in interpreters and generated code: a call through it is a choice of
// all, each of which has one derivative, however many calls there are.

// RUN: %clang -O1 %s -S -emit-llvm -o - | FileCheck %s
// RUN: %clang -O1 %s -S -emit-llvm -o - | grep -c ' = ' | awk '$1 < 16000 { print "short" }' | FileCheck --check-prefix=SIZE %s
// RUN: %clang -O1 -DTWICE %s -S -emit-llvm -o - | grep -c ' = ' | awk '$1 < 19000 { print "short" }' | FileCheck --check-prefix=SIZE %s

// CHECK: call {{.*}}@cf.augmented.cf.prepared.f000
// CHECK: call {{.*}}@cf.augmented.cf.prepared.f299
// CHECK: call {{.*}}@cf.reverse.cf.prepared.f000
// SIZE: short

#include <math.h>

extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup;

#define ONE(N)                                                                                     \
  static double f##N(const double *x, double a) { return a * x[1##N % 8] + sin(1##N * a); }
#define FIVE(M, N, A, B, C, D, E) M(N##A) M(N##B) M(N##C) M(N##D) M(N##E)
#define TEN(M, N) FIVE(M, N, 0, 1, 2, 3, 4) FIVE(M, N, 5, 6, 7, 8, 9)
#define FIFTY(M, N, A, B, C, D, E) TEN(M, N##A) TEN(M, N##B) TEN(M, N##C) TEN(M, N##D) TEN(M, N##E)
#define HUNDRED(M, N) FIFTY(M, N, 0, 1, 2, 3, 4) FIFTY(M, N, 5, 6, 7, 8, 9)
#define ALL(M) HUNDRED(M, 0) HUNDRED(M, 1) HUNDRED(M, 2)
#define NAME(N) f##N,

ALL(ONE)

static double (*const table[])(const double *, double) = {ALL(NAME)};

static double run(const double *x, const int *code, int n) {
  double s = x[0];
  for (int i = 0; i < n; ++i)
    s = table[code[i]](x, s);
#ifdef TWICE
  for (int i = 0; i < n; ++i)
    s += table[code[i]](x, x[i]);
#endif
  return s;
}

void gradient(const double *x, double *xBar, const int *code, int n) {
  extern int enzyme_const;
  __enzyme_autodiff((void *)run, enzyme_dup, x, xBar, enzyme_const, code, enzyme_const, n);
}
