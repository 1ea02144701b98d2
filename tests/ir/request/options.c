// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options that build files of existing code pass: accepted without effect, or with the effect that
// is meant; others are unknown.
//
// RUN: %cf_clang -O2 -mllvm -enzyme-loose-types -mllvm -enzyme-max-cache=1 -mllvm -enzyme-preopt=false -mllvm -enzyme-auto-sparsity=1 -mllvm -enzyme-blas-copy=1 -mllvm -enzyme-lapack-copy=0 -mllvm -enzyme-julia-addr-load -mllvm -enzyme-print-type %s -o %t
// RUN: %t | FileCheck %s --check-prefix=USUAL
// RUN: %cf_clang -O2 -mllvm -enzyme-globals-default-inactive %s -o %t
// RUN: %t | FileCheck %s --check-prefix=INACTIVE
// RUN: %cf_clang -O2 -mllvm -enzyme-runtime-activity=1 -DOWN %s -o %t
// RUN: %t | FileCheck %s --check-prefix=OWN
// RUN: %not %cf_clang -O2 -mllvm -enzyme-truncate-all=64to32 %s -o %t 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: Unknown command line argument '-enzyme-truncate-all=64to32'

#include <stdio.h>

double __enzyme_autodiff(void *, ...);
static double state[8];
static double through(double x, int n) {
  for (int i = 0; i < n; ++i)
    state[i] = x * x;
  double sum = x;
  for (int i = 0; i < n; ++i)
    sum += state[n - 1 - i];
  return sum;
}

extern int enzyme_dup;
static double product(const double *x, const double *c) { return x[0] * c[0]; }

int main(int argc, char **argv) {
  (void)argv;
#ifdef OWN // what is its own shadow is constant
  double x = 3, bar = 0, c = 4;
  __enzyme_autodiff((void *)product, enzyme_dup, &x, &bar, enzyme_dup, &c, &c);
  // OWN: 4 4
  printf("%g %g\n", bar, c);
#endif
  // USUAL: 7
  // INACTIVE: 1
  printf("%g\n", __enzyme_autodiff((void *)through, 3.0, argc));
}
