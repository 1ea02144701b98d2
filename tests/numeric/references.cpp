// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References as parameters and results, structured bindings, default arguments.
// Supports: classes, templates, expression templates, operators, references
#include "GradientCheck.h"
#include <utility>

static double &larger(double &a, double &b) { return a > b ? a : b; }

__attribute__((noinline)) static std::pair<double, double> split(double a, double part = 0.3) {
  return {a * part, a * a * (1 - part)};
}

static double references(double *x, int n) {
  double sum = 0;
  for (int i = 0; i + 1 < n; ++i) {
    larger(x[i], x[i + 1]) *= 0.8;
    const auto [low, high] = split(x[i]);
    const auto [a, b] = split(x[i + 1], low);
    double &last = x[n - 1];
    last += low * high;
    sum += a * b;
  }
  return sum;
}

GRADIENT_CHECK(references, Double, references, InOut(double, 6), Int(6))
