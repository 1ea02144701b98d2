// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said about functions holds where uses for debuggers (-Og) and operations under a rounding
// mode look as if they wrote memory.
//
// RUN: %cf_clang -Og -g %s -o %t0 -lm && %t0 | FileCheck %s
// RUN: %cf_clang -O1 -frounding-math %s -o %t1 -lm && %t1 | FileCheck %s
// RUN: %cf_clang -O2 -ftrapping-math %s -o %t2 -lm && %t2 | FileCheck %s
#include <stdio.h>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double weight;
__attribute__((noinline)) static void note(double *x) {
  weight += 0.5;
  (void)x;
}
__attribute__((used)) static void *__enzyme_inactivefn_note = (void *)note;
__attribute__((noinline)) static double cube(double x) { return x * x * x; }
static double slope(double x, double dx) { return 100 * x * dx; }
__attribute__((used)) static void *__enzyme_register_derivative_cube[] = {(void *)cube,
                                                                          (void *)slope};

static double watched(double *x) {
  note(x);
  return *x * *x;
}
static double registered(double x) { return cube(x) + 1; }

int main(void) {
  // CHECK: 6 200 12 0.5
  double x = 3, bar = 0;
  __enzyme_autodiff((void *)watched, &x, &bar);
  printf("%g %g %g %g\n", bar, __enzyme_fwddiff((void *)registered, 2.0, 1.0),
         __enzyme_autodiff((void *)registered, 2.0), weight);
}
