// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A switch with fall-through, default and gaps in a loop.
// Supports: branches, `switch`, `goto`, early returns
#include "GradientCheck.h"
#include <math.h>

static double machine(const double *x, int n) {
  double a = 1;
  for (int i = 0; i < n; i++) {
    double v = x[i];
    switch ((i * 7) % 9) {
    case 0:
      a += v;
      break;
    case 1:
      a *= v; // falls through
      __attribute__((fallthrough));
    case 2:
      a = a * a * 0.3;
      break;
    case 5:
      a = sin(a) + v;
      break;
    case 7:
      continue;
    default:
      a -= v * v / (1 + a * a);
    }
    a += 0.5;
  }
  return a;
}

GRADIENT_CHECK(switch_case, Double, machine, In(double, 14), Int(14))
