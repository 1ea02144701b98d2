// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::valarray expressions and slices.
// Supports: `std::string`, `valarray`
#include "GradientCheck.h"
#include <valarray>

static double fields(const double *x, double a, int n) {
  std::valarray<double> u(x, n), v = u * a + 1.0;
  v[std::slice(0, n / 2, 2)] = std::valarray<double>(a, n / 2);
  std::valarray<double> w = std::sin(u) * v;
  return w.sum() + (u * u).sum() * v[1];
}

GRADIENT_CHECK(std_valarray, Double, fields, In(double, 8), Scalar(double), Int(8))

static double blocks(const double *x, double a, int n) {
  std::valarray<double> u(x, n);
  u[std::gslice(1, {2, 2}, {4, 1})] *= std::valarray<double>(a, 4);
  const std::valarray<double> w = u[std::gslice(0, {2, 3}, {3, 1})];
  return (w * w).sum() * u[5];
}

GRADIENT_CHECK(std_valarray_blocks, Double, blocks, In(double, 8), Scalar(double), Int(8))
