// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variant of a number and a pointer: one place holds adjoints and addresses by turns.
// Supports: `std::optional`, `variant`, `tuple`, `unique_ptr`, `shared_ptr`
#include "GradientCheck.h"
#include <cmath>
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

using Row = std::optional<std::vector<double>>;
using Either = std::variant<double, Row>;

static double sum(const Row &row, double s) {
  if (row)
    for (double v : *row)
      s = std::tanh(s * 0.8 + v);
  return s;
}
static double sum(const Either &e, double s) {
  if (const double *number = std::get_if<double>(&e))
    return std::tanh(s * 0.44 + *number);
  return sum(std::get<Row>(e), s);
}
static void fill(Either &e, const double *x, int n) {
  if (n % 2 == 0) {
    e = x[0];
    return;
  }
  Row row;
  if (n % 3) {
    std::vector<double> v;
    for (int i = 0; i < n; ++i) {
      v.emplace_back();
      v.back() = x[i];
    }
    row = v;
  }
  e = std::move(row);
}
/// The place of the number is loaded once, as an address, and is in registers from then on.
static double copied(const double *x, int from, int to, int times) {
  Either a, b;
  fill(a, x, from);
  fill(b, x, to);
  for (int i = 0; i < times; ++i)
    b = a;
  double s = std::tanh(sum(a, x[1]));
  s += std::tanh(sum(b, s));
  return s;
}

GRADIENT_CHECK(variant_copied_number, Double, copied, In(double, 6), Int(2), Int(5), Int(2))
GRADIENT_CHECK(variant_copied_row, Double, copied, In(double, 6), Int(5), Int(2), Int(1))
GRADIENT_CHECK(variant_copied_nothing, Double, copied, In(double, 6), Int(3), Int(4), Int(1))
GRADIENT_CHECK(variant_not_copied, Double, copied, In(double, 6), Int(4), Int(5), Int(0))
