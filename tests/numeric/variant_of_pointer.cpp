// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variant of a number and a pointer: one place holds adjoints and addresses by turns.
// Supports: `std::optional`, `variant`, `tuple`, `unique_ptr`, `shared_ptr`
#include "GradientCheck.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>
static double f(const double *x, double a, int n) {
  std::vector<std::variant<double, double *>> v;
  std::vector<double> own(n);
  for (int i = 0; i < n; i++) {
    own[i] = x[i] * x[i];
    if (i % 3 == 0)
      v.push_back(x[i] * a);
    else if (i % 3 == 1)
      v.push_back(&own[i]);
    else
      v.push_back(&own[0]);
  }
  std::optional<std::vector<double>> o;
  if (n > 2)
    o = own;
  double s = 0;
  for (auto &e : v) {
    if (auto *d = std::get_if<double>(&e))
      s += *d * *d;
    else if (auto *p = std::get_if<double *>(&e)) {
      **p *= 1.5;
      s += **p;
    }
  }
  for (double d : *o)
    s += d * a;
  for (double d : own)
    s += d;
  return s;
}
GRADIENT_CHECK(variant_of_pointer, Double, f, In(double, 7), Scalar(double), Int(7))
