// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that change places from step to step: what is found out about them in front of a nest
// holds until they do.
// Supports: arrays that change places
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

static void exchange(double **a, double **b) {
  double *c = *a;
  *a = *b;
  *b = c;
}

/// Restrict parameters that change places in a recursion, which becomes a loop.
static double recursive(double *restrict a, double *restrict b, int n, int k) {
  for (int i = 1; i < n - 1; i++)
    b[i] = 0.1 + 0.4 * a[i] * a[i] + 0.2 * a[i - 1] * a[i + 1];
  if (k == 0)
    return b[1] * a[2];
  return recursive(b, a, n, k - 1) + 0.1 * b[2];
}
static double inRecursion(const double *x, int n, int k) {
  double u[64], w[64];
  memcpy(u, x, sizeof(double) * n);
  memcpy(w, x, sizeof(double) * n);
  return recursive(u, w, n, k);
}
GRADIENT_CHECK(swapped_in_recursion, Double, inRecursion, In(double, 20), Int(20), Int(5))

/// Three in turn, one of them read two steps later.
static double threeInTurn(const double *x, int n, int k) {
  double *a = malloc(sizeof(double) * n), *b = malloc(sizeof(double) * n);
  double *c = malloc(sizeof(double) * n), s = 0;
  for (int i = 0; i < n; i++) {
    a[i] = x[i];
    b[i] = x[i] * x[i];
    c[i] = 0;
  }
  for (int t = 0; t < k; t++) {
    for (int i = 1; i < n - 1; i++)
      c[i] = 2 * b[i] - a[i] + 0.1 * b[i] * (b[i - 1] + b[i + 1] - 2 * b[i]);
    c[n / 2] += x[t];
    exchange(&a, &b);
    exchange(&b, &c);
    s += b[n / 4] * b[n / 4];
  }
  free(a);
  free(b);
  free(c);
  return s;
}
GRADIENT_CHECK(swapped_in_turn, Double, threeInTurn, In(double, 20), Int(20), Int(6))

/// Sometimes in the loop next to the nest, sometimes in the one around it; now and then two are
/// one.
static double nowAndThen(const double *x, int n, int k) {
  double u[3][24], *a = u[0], *b = u[1], *c = u[2], s = 0;
  for (int i = 0; i < n; i++) {
    a[i] = x[i];
    b[i] = 0.5 * x[i];
    c[i] = x[n - 1 - i];
  }
  for (int t = 0; t < k; t++) {
    for (int j = 0; j < 3; j++) {
      for (int i = 1; i < n - 1; i++)
        b[i] = 0.3 * a[i - 1] * c[i + 1] + 0.2 * a[i] * c[i];
      if (t % 2)
        exchange(&b, &c);
    }
    if (t % 3 == 1)
      c = a;
    if (t % 3 == 2) {
      a = u[0];
      b = u[1];
      c = u[2];
    }
    for (int i = 0; i < n; i++)
      s += a[i] * b[i];
  }
  return s;
}
GRADIENT_CHECK(swapped_now_and_then, Double, nowAndThen, In(double, 20), Int(20), Int(7))

/// As values say; an array may follow another one in the same block.
static double byValue(const double *x, int n, int k) {
  double u[64], w[64], *a = u, *b = w, s = 0;
  memcpy(u, x, sizeof(double) * n);
  memcpy(w, x, sizeof(double) * n);
  for (int t = 0; t < k; t++) {
    for (int r = 0; r < 2; r++) {
      for (int i = 1; i < n - 1; i++)
        b[i] = 0.1 + 0.2 * a[i] * a[i] + 0.1 * a[i - 1] * a[i + 1];
      if (b[1] * (t + r) > 0.4)
        exchange(&a, &b);
      if (t == 3)
        b = a + 1;
      if (t == 4) {
        a = u;
        b = w;
      }
    }
    s += a[2];
  }
  for (int i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}
GRADIENT_CHECK(swapped_by_value, Double, byValue, In(double, 20), Int(20), Int(7))

/// In a circle with two ways in, which is no loop to the compiler.
static double twoWaysIn(const double *x, int n, int k) {
  double u[64], w[64], *a = u, *b = w, s = 0;
  memcpy(u, x, sizeof(double) * n);
  memcpy(w, x, sizeof(double) * n);
  int t = 0;
  if (k & 1)
    goto middle;
top:
  for (int i = 1; i < n - 1; i++)
    b[i] = a[i] * a[i] * 0.3 + a[i - 1] * a[i + 1];
  s += b[1];
middle:
  for (int i = 1; i < n - 1; i++)
    a[i] = b[i] * b[i - 1] * 0.5 + b[i + 1];
  exchange(&a, &b);
  if (++t < k)
    goto top;
  for (int i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}
GRADIENT_CHECK(swapped_two_ways_in, Double, twoWaysIn, In(double, 20), Int(20), Int(4))
GRADIENT_CHECK(swapped_two_ways_in_odd, Double, twoWaysIn, In(double, 20), Int(20), Int(5))
