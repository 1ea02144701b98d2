// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The adjoint of a function that returns a structure starts from ones, or from a structure behind
// the arguments. What begins like a derivative call and is none is an error with its name.
//
// RUN: %cf_clang -O0 %s -o %t -lm && %t | FileCheck %s
// RUN: %cf_clang -O2 %s -o %t -lm && %t | FileCheck %s
// RUN: %not %cf_clang -O1 -DUNKNOWN -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
#include <complex.h>
#include <stdio.h>

struct pair {
  double a, b;
};
struct large {
  double v[3];
  float w;
};
extern int enzyme_out;
double __enzyme_autodiff(void *, ...);
double __enzyme_fp_optimize(void *, ...);
double __enzyme_differentiate(void *, double);

static struct pair both(double x) { return (struct pair){x * x, x * 3}; }
static struct large many(double x) { return (struct large){{x * x, x * 3, x}, (float)x}; }
static double _Complex wave(double x) { return x * x + I * x; }

int main(void) {
  const struct pair p = {1, 10};
  const struct large l = {{1, 10, 100}, 1000};
  // CHECK: 7 34
  printf("%g %g\n", __enzyme_autodiff((void *)both, 2.0), __enzyme_autodiff((void *)both, 2.0, p));
  // CHECK: 1134 14
  printf("%g %g\n", __enzyme_autodiff((void *)many, enzyme_out, 2.0, l),
         __enzyme_autodiff((void *)wave, 2.0, 1.0 + 10 * I));
#ifdef UNKNOWN
  // UNKNOWN: result_seeds.c:[[@LINE+1]]:{{.*}}[CF209]{{.*}}'__enzyme_fp_optimize'
  __enzyme_fp_optimize((void *)both, 2.0);
  // UNKNOWN: result_seeds.c:[[@LINE+1]]:{{.*}}[CF209]{{.*}}'__enzyme_differentiate'
  __enzyme_differentiate((void *)both, 2.0);
#endif
  return 0;
}
