// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of few functions, each of which is called at three places by the next one: written out,
// the calls of sin are more than a thousand. What runs once is written out a few times; the rest
// stays calls.
//
// RUN: %clang -O1 -S -emit-llvm %s -o - | grep -c "call .*@sin(" | FileCheck %s
// RUN: %clang -O2 -S -emit-llvm %s -o - | grep -c "call .*@sin(" | FileCheck %s
//
// CHECK: {{^[1-9]?[0-9]?[0-9]$}}

#include <math.h>

double __enzyme_autodiff(void *, ...);

#define STEP(i) s = (s + sin(s * i)) / (1.5 + s * s) + 0.1 * a * s
#define FUNCTION(name, next)                                                                       \
  static double name(double a) {                                                                   \
    double s = a;                                                                                  \
    STEP(1), STEP(2), STEP(3), STEP(4), STEP(5), STEP(6);                                          \
    return next(s + 1) * next(s - a) + next(s * 0.5) * s;                                          \
  }

FUNCTION(first, sqrt)
FUNCTION(second, first)
FUNCTION(third, second)
FUNCTION(fourth, third)
FUNCTION(fifth, fourth)
FUNCTION(sixth, fifth)

static double root(const double *x) { return sixth(x[0]); }
void gradient(double *x, double *dx) { __enzyme_autodiff((void *)root, x, dx); }
