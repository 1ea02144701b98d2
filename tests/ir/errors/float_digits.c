// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Digits of floats that are converted as integers, and integers made of floats that become digits:
// the derivative would be that of a staircase. Exponents alone, scaled by steps that are seen, and
// what is only compared are taken as they are.
//
// RUN: %not %clang -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O0 -DACCEPTED -c %s -o %t.o
// RUN: %clang -O2 -DACCEPTED -c %s -o %t.o

#include <string.h>

double __enzyme_autodiff(void *, ...);

static unsigned bits(float x) {
  unsigned b;
  memcpy(&b, &x, sizeof b);
  return b;
}
static double number(long b) {
  double x;
  memcpy(&x, &b, sizeof x);
  return x;
}

#ifdef ACCEPTED
float exponent(float x) { return x * (float)((int)(bits(x) >> 23) - 127); }
double power(double x) { return x * number(((long)x + 1023) << 52); }
float ordered(float x) { return (float)bits(x) > 2e9f ? x : 2 * x; }
void ask(void) {
  __enzyme_autodiff((void *)exponent, 2.0F);
  __enzyme_autodiff((void *)power, 2.0);
  __enzyme_autodiff((void *)ordered, 2.0F);
}
#else
// CHECK-COUNT-2: float_digits.c:{{.*}}[CF205] {{.*}}bits of numbers are calculated with
float logarithm(float x) { return (float)bits(x) * 0x1p-23F - 126.9F; }
double exponential(double x) {
  return number((long)(6497320848556798.0 * x + 4606853616395542500.0));
}
void ask(void) {
  __enzyme_autodiff((void *)logarithm, 2.0F);
  __enzyme_autodiff((void *)exponential, 2.0);
}
#endif
