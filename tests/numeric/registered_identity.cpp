// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that the optimiser would see through: one that returns what was stored, whatever it is
// given, and an identity without derivative. And attributes in all spellings.
// Supports: attributes: `enzyme_inactive`, `enzyme_function_like`, in GNU, C23 and C++ spellings

#include "GradientCheck.h"

#include <cmath>

// The stored part of x, and how it depends on x: told by a derivative, not by the body.
static double held;
static double stored(double) { return held; }
static double storedTangent(double x, double x_dot) { return 2.0 * std::exp(2.0 * x) * x_dot; }
static double storedAugmented(double) { return held; }
static double storedReverse(double x, double result_bar) {
  return 2.0 * std::exp(2.0 * x) * result_bar;
}
extern "C" {
void *__enzyme_register_gradient_stored[] = {reinterpret_cast<void *>(stored),
                                             reinterpret_cast<void *>(storedAugmented),
                                             reinterpret_cast<void *>(storedReverse)};
void *__enzyme_register_derivative_stored[] = {reinterpret_cast<void *>(stored),
                                               reinterpret_cast<void *>(storedTangent)};
}

// held = exp(2 x), unseen.
[[enzyme::inactive]] static void hold(double x) { held = std::exp(2.0 * x); }
static double throughConstant(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    hold(x[i]);
    sum += stored(x[i]) * x[i];
  }
  return sum;
}
GRADIENT_CHECK(registered_constant, Double, throughConstant, In(double, 4), Int(4))

__attribute__((enzyme_inactive)) static double same(double x) { return x; }
static double balanced(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i] * (1.0 + same(x[i]) - same(x[i]));
  return sum;
}
GRADIENT_CHECK(inactive_identity, Double, balanced, In(double, 4), Int(4))

[[enzyme::function_like("log")]] static double bits(double x) {
  int e;
  const double m = std::frexp(x, &e);
  double z = (m - 1) / (m + 1), sum = 0, power = z;
  for (int k = 1; k < 80; k += 2) {
    sum += power / k;
    power *= z * z;
  }
  return 2 * sum + e * 0.693147180559945309417232;
}
__attribute__((enzyme_function_like("exp"))) static double grow(double x);
static double grow(double x) { return std::pow(2.718281828459045, x); }
static double likeOthers(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += bits(x[i]) * grow(x[i]);
  return sum;
}
GRADIENT_CHECK(attribute_like, Double, likeOthers, In(double, 4), Int(4))

__attribute__((enzyme_inactive)) static double factor = 2.0;
static double withInactive(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += factor * x[i] * x[i];
  return sum;
}
GRADIENT_CHECK(attribute_variable, Double, withInactive, In(double, 4), Int(4))
