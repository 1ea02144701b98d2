// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wrapper that other files may call stays behind when its calls here have been inlined: what it
// is given is one of the functions that derivatives are asked of, or ends the program.
//
// RUN: %cf_clang -O0 %s -o %t && %t | FileCheck %s
// RUN: %cf_clang -O2 %s -o %t && %t | FileCheck %s

#include <math.h>
#include <stdio.h>

extern int enzyme_out;
double __enzyme_autodiff(void *, ...);

double slope(double (*f)(double), double x) { return __enzyme_autodiff((void *)f, enzyme_out, x); }
static double wave(double x) { return sin(x * x); }
static double cube(double x) { return x * x * x; }

int main(void) {
  // CHECK: -1 12
  printf("%g %g\n", slope(wave, sqrt(M_PI)) / (2 * sqrt(M_PI)), slope(cube, 2.0));
}
