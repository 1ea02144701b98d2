// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lower half of a double of several origins, as an integer: in a union that became a register
// it is the integer, where the program comes there at all. Where the double is a number, it ends.
//
// RUN: %cf_clang -O2 -gline-tables-only %s -o %t && %t | FileCheck %s --check-prefix=NUMBER
// RUN: not --crash %t 1 2>&1 | FileCheck %s
// NUMBER: 7
// CHECK: [CF392] {{.*}}digits_of_choice.c:[[# @LINE + 12]]
#include <stdio.h>
#include <string.h>

double __enzyme_autodiff(void *, ...);
int enzyme_out, enzyme_const;

static double chosen(double x, int n) {
  double a = 7 * x;
  for (int i = 0; i < n; ++i) {
    unsigned long bits;
    memcpy(&bits, &a, sizeof bits);
    a = a * x + (double)(int)bits;
  }
  return a;
}
int main(int n, char **_) {
  (void)_;
  printf("%g\n", __enzyme_autodiff((void *)chosen, enzyme_out, 2.5, enzyme_const, n - 1));
}
