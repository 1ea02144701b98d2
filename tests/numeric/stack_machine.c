// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An interpreter: codes decide what happens to an explicit stack of active values.
#include "GradientCheck.h"
#include <math.h>

static double interpret(const double *x, int n) {
  static const char Program[] = "0 1*2s+3-4/e5+0*";
  double stack[8];
  int top = 0;
  for (const char *c = Program; *c; c++) {
    if (*c >= '0' && *c <= '9')
      stack[top++] = x[(*c - '0') % n];
    else if (*c == 's')
      stack[top - 1] = sin(stack[top - 1]);
    else if (*c == 'e')
      stack[top - 1] = exp(-stack[top - 1]);
    else if (*c != ' ') {
      double b = stack[--top], *a = &stack[top - 1];
      *a = *c == '+' ? *a + b : *c == '-' ? *a - b : *c == '*' ? *a * b : *a / b;
    }
  }
  return stack[0];
}

GRADIENT_CHECK(stack_machine, Double, interpret, In(double, 6), Int(6))
