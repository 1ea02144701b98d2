// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that get a body here are described as declarations by clang (-g).
//
// RUN: %clang -g -O2 -c %s -o /dev/null
// RUN: %clang -g -O0 -c %s -o /dev/null
double __enzyme_ignore_derivatives(double);
double __enzyme_autodiff(void *, ...);
static double f(double x) { return x * __enzyme_ignore_derivatives(x); }
double slope(double x) { return __enzyme_autodiff((void *)f, x); }
