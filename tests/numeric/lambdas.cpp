// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lambdas that capture by value and by reference, passed to a template.
// Supports: lambdas
#include "GradientCheck.h"
#include <cmath>

template <typename Body> static void forEach(int n, Body body) {
  for (int i = 0; i < n; ++i)
    body(i);
}

static double lambdas(const double *x, double *y, double a, int n) {
  double sum = 0;
  forEach(n, [=](int i) { y[i] = a * std::sin(x[i]); });
  forEach(n, [&](int i) { sum += y[i] * y[n - 1 - i]; });
  const auto square = [](auto v) { return v * v; };
  return square(sum) + square(a);
}

GRADIENT_CHECK(lambdas, Double, lambdas, In(double, 6), Out(double, 6), Scalar(double), Int(6))
