// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::optional, std::variant with std::visit, std::tuple, std::pair, std::any.
// Supports: `std::optional`, `variant`, `tuple`, `unique_ptr`, `shared_ptr`
#include "GradientCheck.h"
#include <any>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace {
struct Square {
  double a;
};
struct Line {
  double a, b;
};
struct Steps {
  int n;
};
using Shape = std::variant<Square, Line, Steps>;

std::optional<double> root(double x) {
  if (x < 0.7)
    return std::nullopt;
  return x * x - 0.3;
}

Shape choose(double v, double a, int i) {
  if (i % 3 == 0)
    return Square{v};
  if (i % 3 == 1)
    return Line{v, a};
  return Steps{i};
}

double sum(const double *x, double a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += root(x[i]).value_or(x[i] * a);
    Shape shape = choose(x[i], a, i);
    s += std::visit(
        [&](auto &it) -> double {
          using T = std::decay_t<decltype(it)>;
          if constexpr (std::is_same_v<T, Square>)
            return it.a * it.a;
          else if constexpr (std::is_same_v<T, Line>)
            return it.a * it.b;
          else
            return it.n * a;
        },
        shape);
    auto t = std::make_tuple(x[i], i, a * x[i]);
    s += std::get<0>(t) * std::get<2>(t) * std::get<1>(t);
  }
  return s;
}
} // namespace

// Terms own terms: their destructors call each other through tables of variadic lambdas.
struct Term;
using TermPtr = std::shared_ptr<Term>;

struct Product {
  TermPtr left, right;
};
struct Term {
  std::variant<double, Product> value;
};

static double evaluate(const Term &n) {
  if (auto *p = std::get_if<Product>(&n.value))
    return evaluate(*p->left) * evaluate(*p->right) + 1;
  return std::get<double>(n.value);
}

static TermPtr leaf(double v) { return std::make_shared<Term>(Term{v}); }

static double ownedVariants(const double *x) {
  TermPtr square = std::make_shared<Term>(Term{Product{leaf(x[0]), leaf(x[0])}});
  TermPtr top = std::make_shared<Term>(Term{Product{square, leaf(x[1])}});
  square->value = Product{leaf(x[1]), leaf(x[2])};
  return evaluate(*top);
}

// The number of a map's node lies where the variant around another map says what it is.
using Table = std::variant<double, std::map<int, double>>;

static Table tabulate(const double *x, bool all) {
  if (!all)
    return x[0] * x[1];
  std::map<int, double> values;
  for (int i = 0; i < 3; ++i)
    values[i * 7 % 5] = x[i] * 2;
  return values;
}

static double total(Table table, double s) { // a copy
  if (const double *only = std::get_if<double>(&table))
    return s * *only;
  for (auto &[key, value] : std::get<1>(table))
    s += value * value * (1 + key);
  return s;
}

static double tables(const double *x, int n) {
  double s = 0.1;
  for (int i = 0; i < n; ++i) {
    Table table = tabulate(x + i, x[i] > x[i + 1]);
    s = total(table, s);
    table = tabulate(x + i + 1, i % 2);
    s = total(table, s);
  }
  return s;
}

GRADIENT_CHECK(std_sum_tables, Double, tables, In(double, 7), Int(4))

// There is no number where there is no value.
__attribute__((noinline)) std::optional<double> rootWhere(double x) {
  if (x <= 0)
    return std::nullopt;
  return std::sqrt(x);
}

static double perhaps(double x) {
  const auto value = rootWhere(x);
  return value ? *value * x : x;
}

GRADIENT_CHECK(perhaps_nothing, Double, perhaps, ScalarRange(double, -1, 1))
GRADIENT_CHECK(std_sum_types, Double, sum, In(double, 9), Scalar(double), Int(9))
GRADIENT_CHECK(owned_variants, Double, ownedVariants, In(double, 3))

// Copies that become registers, which hold a number or an integer.
using Value = std::variant<int, double>;
static double asNumber(const Value &v) {
  return std::visit([](auto held) { return static_cast<double>(held); }, v);
}
static double copies(const double *x, int n) {
  std::vector<Value> values;
  for (int i = 0; i < n; ++i)
    if (i % 3 == 0)
      values.push_back(i + 1);
    else
      values.push_back(x[i]);
  Value largest = values[0];
  double sum = 0;
  for (const Value v : values) {
    if (asNumber(v) > asNumber(largest))
      largest = v;
    sum = 0.5 * sum + asNumber(v) * asNumber(largest);
  }
  return sum;
}
GRADIENT_CHECK(copied_variants, Double, copies, In(double, 6), Int(6))

// What is in an object is asked by the description of its type.
static double anything(const double *x, int n) {
  std::any held = x[0];
  double s = 0.1;
  for (int i = 0; i < n; ++i) {
    const std::any before = held;
    if (auto *number = std::any_cast<double>(&held))
      held = Line{*number * x[i], s};
    else if (auto *line = std::any_cast<Line>(&held))
      held = line->a * x[i] + line->b;
    if (before.type() == typeid(double))
      s += std::any_cast<double>(before) * x[i];
    else
      s *= std::any_cast<const Line &>(before).a;
  }
  return s;
}

GRADIENT_CHECK(std_any, Double, anything, In(double, 5), Int(5))

/// With strings among them, variants stay memory; a container of them grows by temporaries.
using Cell = std::variant<int, double, std::string>;

static double value(const Cell &c) {
  return std::visit(
      [](const auto &v) -> double {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(v)>>)
          return v;
        else
          return static_cast<double>(v.size());
      },
      c);
}

static double cells(const double *x, int n) {
  std::vector<Cell> row;
  for (int i = 0; i < n; ++i)
    if (i % 3 == 0)
      row.push_back(i);
    else if (i % 3 == 1)
      row.push_back(x[i]);
    else
      row.push_back("abc");
  Cell best = row[0];
  double s = 0;
  for (const Cell &c : row) {
    if (value(c) > value(best))
      best = c;
    s = s * 0.5 + value(c) * value(best);
  }
  std::swap(row[0], row[1]);
  row[2] = row[0];
  for (const Cell &c : row)
    s += value(c);
  return s;
}

GRADIENT_CHECK(std_variant_strings, Double, cells, In(double, 6), Int(6))
