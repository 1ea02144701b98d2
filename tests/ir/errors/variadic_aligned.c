// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A structure that is aligned to 16 bytes and passed in registers comes in pieces: where it lies
// among other variable arguments is not known.
//
// RUN: %not %clang -O0 -c %s -o %t 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -c %s -o %t 2>&1 | FileCheck %s
// RUN: %not %clang -O3 -c %s -o %t 2>&1 | FileCheck %s

#include <stdarg.h>

double __enzyme_autodiff(void *, ...);

struct __attribute__((aligned(16))) pair {
  double a, b;
};

__attribute__((noinline)) static double product(int n, ...) {
  va_list list;
  va_start(list, n);
  const double x = va_arg(list, double);
  const struct pair p = va_arg(list, struct pair);
  va_end(list);
  return x * p.a * p.b;
}
// CHECK: variadic_aligned.c:[[@LINE+3]]:{{.*}}[CF205]
static double f(double x) {
  struct pair p = {x, x * x};
  return product(1, x, p);
}
double slope(double x) { return __enzyme_autodiff((void *)f, x); }
