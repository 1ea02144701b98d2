// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run decides whether `p` is active memory or a constant argument. What has a derivative and is
// put into constant memory ends the program, however it gets there; into active memory, it is
// differentiated.
//
// RUN: %cf_clang -O0 %s -o %t && %t && not --crash %t 0 2>&1 | FileCheck %s
// RUN: not --crash %t 1 2>&1 | FileCheck %s
// RUN: not --crash %t 2 2>&1 | FileCheck %s
// RUN: %cf_clang -O2 %s -o %t && %t && not --crash %t 0 2>&1 | FileCheck %s
// RUN: not --crash %t 1 2>&1 | FileCheck %s
// RUN: not --crash %t 2 2>&1 | FileCheck %s
// RUN: %cf_clang -O2 -DADJOINT %s -o %t && %t && not --crash %t 0 2>&1 | FileCheck %s
// RUN: not --crash %t 1 2>&1 | FileCheck %s
// RUN: not --crash %t 2 2>&1 | FileCheck %s

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int enzyme_dup, enzyme_const;
double __enzyme_fwddiff(void *, ...);
void __enzyme_autodiff(void *, ...);

typedef double Lanes __attribute__((vector_size(16), aligned(8)));

static void put(double *p, const double *x, int how) {
  if (how == 0)
    *(Lanes *)p = *(const Lanes *)x * 2.0;
  const double flipped = -x[0];
  uint64_t bits;
  memcpy(&bits, &flipped, sizeof bits);
  if (how == 1)
    memcpy(p, &bits, sizeof bits);
  if (how == 2)
    p[0] = how > 1 ? sin(x[0]) : x[1];
}

static double f(const double *x, double *c, double *w, int how, int active) {
  double *p = active ? w : c;
  put(p, x, how);
  double sum = 0;
  for (int i = 0; i < 2; i++)
    sum += p[(i + how) & 1] * p[(i + how) & 1];
  return sum;
}

/// Of p[0] * p[0] with respect to x[0].
static double expected(const double *x, int how) {
  return how == 0 ? 8 * x[0] : how == 1 ? 2 * x[0] : 2 * sin(x[0]) * cos(x[0]);
}

int main(int argc, char **argv) {
  const int active = argc == 1, last = active ? 2 : atoi(argv[1]);
  for (int how = active ? 0 : last; how <= last; how++) {
    double x[2] = {0.5, 2}, d[2] = {1, 0}, b[2] = {0}, c[2] = {5, 6}, w[2] = {7, 8}, dw[2] = {0};
#ifdef ADJOINT
    __enzyme_autodiff((void *)f, enzyme_dup, x, b, enzyme_const, c, enzyme_dup, w, dw, enzyme_const,
                      how, enzyme_const, active);
    (void)d;
#else
    b[0] = __enzyme_fwddiff((void *)f, enzyme_dup, x, d, enzyme_const, c, enzyme_dup, w, dw,
                            enzyme_const, how, enzyme_const, active);
#endif
    if (!(fabs(b[0] - expected(x, how)) < 1e-12))
      return 1;
  }
  return 0;
}

// CHECK: error: [CF323] memory that is constant, since it is its own shadow
