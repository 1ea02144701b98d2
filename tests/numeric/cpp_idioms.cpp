// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Idioms of C++ libraries: static polymorphism, policies, type erasure, proxies, counted handles,
// builders, scope guards.
#include "GradientCheck.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace {

template <typename Derived> struct Shape {
  double measure() const { return static_cast<const Derived &>(*this).area() * 2; }
};
struct Disc : Shape<Disc> {
  double r;
  explicit Disc(double r) : r(r) {}
  double area() const { return 3.14 * r * r; }
};
struct Box : Shape<Box> {
  double a, b;
  Box(double a, double b) : a(a), b(b) {}
  double area() const { return a * b; }
};
template <typename D> double twice(const Shape<D> &s) {
  return s.measure() + std::sin(s.measure());
}
double crtp(const double *x) { return twice(Disc(x[0])) * twice(Box(x[1], x[2])); }

struct Linear {
  static double apply(double v) { return 0.5 * v; }
};
struct Quadratic {
  static double apply(double v) { return v * v; }
};
template <typename Kernel, typename... Rest> struct Chain {
  static double apply(double v) {
    if constexpr (sizeof...(Rest) == 0)
      return Kernel::apply(v);
    else
      return Chain<Rest...>::apply(Kernel::apply(v));
  }
};
double policies(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += Chain<Quadratic, Linear, Quadratic>::apply(x[i]) + Chain<Linear>::apply(x[i]);
  return s;
}

struct Concept {
  virtual double call(double) const = 0;
  virtual std::unique_ptr<Concept> clone() const = 0;
  virtual ~Concept() = default;
};
template <typename F> struct Model final : Concept {
  F f;
  explicit Model(F f) : f(std::move(f)) {}
  double call(double v) const override { return f(v); }
  std::unique_ptr<Concept> clone() const override { return std::make_unique<Model>(f); }
};
class Erased {
  std::unique_ptr<Concept> impl;

public:
  template <typename F> explicit Erased(F f) : impl(std::make_unique<Model<F>>(std::move(f))) {}
  Erased(const Erased &o) : impl(o.impl->clone()) {}
  double operator()(double v) const { return impl->call(v); }
};
double erased(const double *x, int n) {
  std::vector<Erased> fs;
  for (int i = 0; i < n; ++i)
    if (i % 2)
      fs.push_back(Erased([a = x[i]](double v) { return a * v + 0.1; }));
    else
      fs.push_back(Erased([a = x[i], b = x[0]](double v) { return v * v * a - b; }));
  double v = x[n - 1];
  for (const Erased &f : fs)
    v = f(v);
  return v;
}

class Row {
  double *data;
  std::size_t stride, index;

public:
  Row(double *d, std::size_t s, std::size_t i) : data(d), stride(s), index(i) {}
  double &operator[](std::size_t j) { return data[index * stride + j]; }
};
class Grid {
  std::size_t columns;
  std::vector<double> cells;

public:
  Grid(std::size_t r, std::size_t c) : columns(c), cells(r * c, 0.25) {}
  Row operator[](std::size_t i) { return {cells.data(), columns, i}; }
  double &operator()(std::size_t i, std::size_t j) { return cells[i * columns + j]; }
};
double proxies(const double *x, int n) {
  Grid g(3, static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j)
      g[i][j] += x[j] * (i ? g(i - 1, j) : 1);
  double s = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j)
    s += g(2, j) * g[0][static_cast<std::size_t>(n) - 1 - j];
  return s;
}

class Counted {
  struct Body {
    int references;
    double value;
  } *body;

public:
  explicit Counted(double v) : body(new Body{1, v}) {}
  Counted(const Counted &o) : body(o.body) { ++body->references; }
  Counted &operator=(const Counted &o) {
    ++o.body->references;
    drop();
    body = o.body;
    return *this;
  }
  ~Counted() { drop(); }
  void drop() {
    if (--body->references == 0)
      delete body;
  }
  double &operator*() { return body->value; }
};
double counted(const double *x, int n) {
  Counted sum(x[0]), other = sum;
  for (int i = 1; i < n; ++i) {
    Counted next(*sum * x[i]);
    if (i % 2)
      other = next;
    else
      *other += *next;
    sum = other;
  }
  return *sum * *other;
}

struct Settings {
  double rate = 1, decay = 0.5;
  int steps = 1;
  Settings &withRate(double r) { return rate = r, *this; }
  Settings &withDecay(double d) { return decay = d, *this; }
  Settings &withSteps(int n) { return steps = n, *this; }
  double run(double v) const {
    for (int i = 0; i < steps; ++i)
      v += rate * v - decay * v * v;
    return v;
  }
};
double builder(const double *x) {
  return Settings().withRate(x[0]).withSteps(3).withDecay(x[1]).run(x[2]);
}

template <typename F> class Guard {
  F f;

public:
  explicit Guard(F f) : f(std::move(f)) {}
  ~Guard() { f(); }
};
double guards(const double *x, int n) {
  double s = 0, product = 1;
  for (int i = 0; i < n; ++i) {
    Guard guard([&] { s += product * x[i]; });
    product *= x[i];
    if (product > 1.2)
      continue;
    product += 0.1 * x[0];
  }
  return s * product;
}

template <std::size_t... I>
double weighted(const std::array<double, sizeof...(I)> &a, std::index_sequence<I...>) {
  return ((a[I] * a[I] * static_cast<double>(I + 1)) + ...);
}
double folds(const double *x) {
  return weighted(std::array{x[0], x[1], x[2] * x[0], x[3]}, std::make_index_sequence<4>{});
}

std::tuple<double, double, int> polar(double a, double b) {
  return {std::hypot(a, b), std::atan2(b, a), a > b};
}
double bindings(const double *x, int n) {
  double s = 0;
  for (int i = 0; i + 1 < n; ++i) {
    auto [r, phi, first] = polar(x[i], x[i + 1]);
    const double square = x[i] * x[i];
    auto [lo, hi] = std::minmax(square, x[i + 1]);
    s += first ? r * phi : r - phi + lo * hi;
  }
  return s;
}

struct Accumulator {
  double value = 0;
  Accumulator &operator<<(double v) { return value = value * 0.9 + v * v, *this; }
  explicit operator double() const { return value; }
};
double streams(const double *x) {
  Accumulator a;
  a << x[0] << x[1] << x[2] * x[0];
  return static_cast<double>(a) * a.value;
}

template <int N> struct Power {
  static double of(double v) { return v * Power<N - 1>::of(v); }
};
template <> struct Power<0> {
  static double of(double) { return 1; }
};
double powers(const double *x) { return Power<5>::of(x[0]) + Power<12>::of(x[1]); }

struct Node {
  double value;
  std::unique_ptr<Node> left, right;
  explicit Node(double v) : value(v) {}
};
void insert(std::unique_ptr<Node> &where, double v) {
  if (!where)
    where = std::make_unique<Node>(v);
  else
    insert(v < where->value ? where->left : where->right, v);
}
double walk(const Node *node, double depth) {
  return node ? node->value * node->value * depth + walk(node->left.get(), depth + 1) +
                    walk(node->right.get(), depth + 1)
              : 0;
}
double searchTree(const double *x, int n) {
  std::unique_ptr<Node> root;
  for (int i = 0; i < n; ++i)
    insert(root, x[i] * x[0]);
  return walk(root.get(), 1);
}

} // namespace

GRADIENT_CHECK(idioms_crtp, Double, crtp, In(double, 3))
GRADIENT_CHECK(idioms_policies, Double, policies, In(double, 5), Int(5))
GRADIENT_CHECK(idioms_erased, Double, erased, In(double, 5), Int(5))
GRADIENT_CHECK(idioms_proxies, Double, proxies, In(double, 5), Int(5))
GRADIENT_CHECK(idioms_counted, Double, counted, In(double, 6), Int(6))
GRADIENT_CHECK(idioms_builder, Double, builder, In(double, 3))
GRADIENT_CHECK(idioms_guards, Double, guards, In(double, 6), Int(6))
GRADIENT_CHECK(idioms_folds, Double, folds, In(double, 4))
GRADIENT_CHECK(idioms_bindings, Double, bindings, In(double, 6), Int(6))
GRADIENT_CHECK(idioms_streams, Double, streams, In(double, 3))
GRADIENT_CHECK(idioms_powers, Double, powers, In(double, 2))
GRADIENT_CHECK(idioms_search_tree, Double, searchTree, In(double, 8), Int(8))
