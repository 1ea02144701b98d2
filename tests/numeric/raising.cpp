// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ that might throw: growing vectors, checked access, destructors on the way out, virtual calls
// that the optimiser resolves, std::function-free callbacks by template.
// Supports: exceptions that end the call
#include "GradientCheck.h"
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

static double grow(const double *x, int n) {
  std::vector<double> v;
  for (int i = 0; i < n; i++) {
    v.push_back(x[i] * x[i]);
    if (i % 2)
      v.push_back(v[i / 2] * x[i]);
  }
  double s = 0;
  for (double e : v)
    s += e * v.front();
  return s;
}

static double checked(const double *x, int n) {
  std::vector<double> v(x, x + n);
  double s = 1;
  for (int i = 0; i < n; i++) {
    if (v.at(i) < 0)
      throw std::runtime_error("negative");
    s += v.at(i) * std::sqrt(v.at(n - 1 - i));
  }
  return s;
}

static double rows(const double *x, int n) {
  std::vector<std::vector<double>> m;
  for (int i = 0; i < n; i++) {
    m.emplace_back();
    for (int j = 0; j <= i; j++)
      m.back().push_back(x[j] * x[i]);
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      s += m[i][j] * m[n - 1].at(j);
  return s;
}

static double owned(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    auto p = std::make_unique<double[]>(n);
    for (int j = 0; j < n; j++)
      p[j] = x[j] * x[i];
    s += p[i] * p[n - 1 - i];
  }
  return s;
}

GRADIENT_CHECK(raising_grow, Double, grow, In(double, 6), Int(6))
GRADIENT_CHECK(raising_checked, Double, checked, In(double, 5), Int(5))
GRADIENT_CHECK(raising_rows, Double, rows, In(double, 4), Int(4))
GRADIENT_CHECK(raising_owned, Double, owned, In(double, 4), Int(4))
