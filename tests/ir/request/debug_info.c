// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that get a body here are described as declarations by clang (-g). A structure of one
// number is described as a structure, and is passed as that number.
//
// RUN: %clang -g -O2 -c %s -o /dev/null
// RUN: %clang -g -O0 -c %s -o /dev/null
double __enzyme_ignore_derivatives(double);
double __enzyme_autodiff(void *, ...);
static double f(double x) { return x * __enzyme_ignore_derivatives(x); }
double slope(double x) { return __enzyme_autodiff((void *)f, x); }

extern int enzyme_dup, enzyme_const;
struct metres {
  double value;
};
double __enzyme_fwddiff(void *, ...);
double area(double width, struct metres depth) { return width * depth.value; }
double wider(double w, struct metres d, struct metres d_dot) {
  return __enzyme_fwddiff((void *)area, enzyme_const, w, enzyme_dup, d, d_dot);
}
