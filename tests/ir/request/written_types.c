// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers by value in code of C that was optimised before the plugin has seen it: debug
// information says what belongs together. A structure is an error.
//
// RUN: clang -O1 -g -emit-llvm -c %s -o %t.bc
// RUN: %opt -passes=enzyme %t.bc -o %t.out.bc
// RUN: %cf_clang -O1 %t.out.bc -o %t1 -lm && %t1 | FileCheck %s
// RUN: %cf_clang -O2 %t.bc -o %t2 -lm && %t2 | FileCheck %s
// RUN: clang -O1 -g -DPAIRS -emit-llvm -c %s -o %t.pairs.bc
// RUN: %not %opt -passes=enzyme %t.pairs.bc -disable-output 2>&1 | FileCheck %s --check-prefix=PAIRS
#include <complex.h>
#include <math.h>
#include <stdio.h>

extern int enzyme_dup, enzyme_out, enzyme_const;
double __enzyme_fwddiff(void *, ...);
float __enzyme_fwddiff_float(void *, ...);
double _Complex __enzyme_autodiff(void *, ...);

typedef double _Complex number;
__attribute__((noinline)) static double product(const number z, int n, double k) {
  return k * sin(creal(z)) * exp(cimag(z)) * n;
}
__attribute__((noinline)) static float narrow(float k, float _Complex z) {
  return k * sinf(crealf(z)) * expf(cimagf(z));
}
struct pair {
  double x, y;
};
__attribute__((noinline)) static double together(struct pair p) { return sin(p.x) * p.y; }

int main(void) {
  const number z = 1.5 + 0.25 * I, dz = 3 + 0.5 * I;
  const float _Complex w = 1.5F + 0.25F * I, dw = 3 + 0.5F * I;
  const double slope = exp(0.25) * (cos(1.5) * 3 + sin(1.5) * 0.5);
  // CHECK: 0 0 0 0 0
  const number bar =
      __enzyme_autodiff((void *)product, enzyme_out, z, enzyme_const, 1, enzyme_const, 1.0);
  printf("%d %d %d %d %d\n",
         fabs(__enzyme_fwddiff((void *)product, enzyme_dup, z, dz, enzyme_const, 2, enzyme_const,
                               3.0) -
              6 * slope) > 1e-12,
         fabs(__enzyme_fwddiff((void *)product, z, dz, 2, 3.0, 0.0) - 6 * slope) > 1e-12,
         fabsf(__enzyme_fwddiff_float((void *)narrow, enzyme_const, 2.0F, enzyme_dup, w, dw) -
               2 * (float)slope) > 1e-5F,
         fabs(creal(bar) - cos(1.5) * exp(0.25)) > 1e-12,
         fabs(cimag(bar) - sin(1.5) * exp(0.25)) > 1e-12);
#ifdef PAIRS
  const struct pair p = {1.5, 4}, dp = {3, 0.5};
  // PAIRS: written_types.c:[[@LINE+1]]:{{.*}}[CF209]{{.*}}'together' takes a structure by value
  printf("%g\n", __enzyme_fwddiff((void *)together, enzyme_dup, p, dp));
#endif
  return 0;
}
