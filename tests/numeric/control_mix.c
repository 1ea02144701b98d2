// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow as unkind as C allows: an irreducible loop, switch in a loop with fall through,
// exits from the middle of nests, a loop that may abort, empty blocks, infinite loops that return.
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>

static double irreducible(const double *x, int n, int enter) {
  double s = 1;
  int i = 0;
  if (enter)
    goto middle;
top:
  s *= x[i];
middle:
  s += sin(s) * x[(i + 1) % n];
  if (++i < n)
    goto top;
  return s;
}

static double automaton(const double *x, int n) {
  double s = 0, t = 1;
  int state = 0;
  for (int i = 0; i < 3 * n; i++) {
    double v = x[i % n];
    switch (state) {
    case 0:
      s += v * v;
      state = v > 1 ? 3 : 1;
      break;
    case 1:
      t *= v;
      // fall through
    case 2:
      s -= t * v;
      state = i % 3;
      continue;
    case 3:
      if (s > 5)
        goto done;
      s = s * v;
      state = 2;
      break;
    default:
      abort();
    }
    t += 0.1 * s;
  }
done:
  return s * t;
}

static double search(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0;; k++) {
        s += x[i] * x[j] / (k + 1);
        if (s > 3.5)
          return s * x[k % n];
        if (k > j)
          break;
        if (k * 2 == i)
          goto next;
      }
      s *= 0.9;
      continue;
    next:
      s += x[j];
    }
  return s;
}

static double forever(const double *x, int n) {
  double s = x[0];
  int rounds = 0;
  for (int i = 0;; i = (i + 1) % n) {
    s = s * x[i] + 0.3;
    while (1) {
      if (s < 1.5)
        break;
      s = 0.7 * s;
      if (s > 100)
        exit(3);
    }
    if (s > 1.2 || ++rounds == 9)
      return s * s;
  }
}

GRADIENT_CHECK(control_irreducible, Double, irreducible, In(double, 5), Int(5), Int(1))
GRADIENT_CHECK(control_irreducible_top, Double, irreducible, In(double, 5), Int(5), Int(0))
GRADIENT_CHECK(control_automaton, Double, automaton, In(double, 5), Int(5))
GRADIENT_CHECK(control_search, Double, search, In(double, 5), Int(5))
GRADIENT_CHECK(control_forever, Double, forever, In(double, 4), Int(4))
