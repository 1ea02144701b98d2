// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// unique_ptr, shared_ptr, weak_ptr: ownership moves, counts go up and down, trees are freed.
// Supports: `std::optional`, `variant`, `tuple`, `unique_ptr`, `shared_ptr`
#include "GradientCheck.h"
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace {
struct Node {
  double value;
  std::unique_ptr<Node> left, right;
};

std::unique_ptr<Node> grow(const double *x, int lo, int hi) {
  if (lo >= hi)
    return nullptr;
  int mid = (lo + hi) / 2;
  auto n = std::make_unique<Node>();
  n->value = x[mid];
  n->left = grow(x, lo, mid);
  n->right = grow(x, mid + 1, hi);
  return n;
}

double fold(const Node *n, double a) {
  return n ? n->value * a + fold(n->left.get(), a) * n->value + fold(n->right.get(), a * 0.5) : 0.1;
}

double own(const double *x, double a, int n) {
  auto tree = grow(x, 0, n);
  std::vector<std::shared_ptr<double>> shared;
  auto one = std::make_shared<double>(a * x[0]);
  for (int i = 0; i < n; ++i)
    shared.push_back(i % 2 ? one : std::make_shared<double>(x[i]));
  double s = fold(tree.get(), a);
  for (auto &p : shared)
    *p *= 1.1;
  for (auto &p : shared)
    s += *p * *p;
  return s;
}

struct Part {
  double value;
  std::vector<std::shared_ptr<Part>> parts;
  std::weak_ptr<Part> whole;
};

double total(const std::shared_ptr<Part> &p) {
  double sum = p->value;
  for (auto &part : p->parts)
    sum += part->value * total(part);
  if (auto whole = p->whole.lock())
    sum *= whole->value;
  return sum;
}

double observe(const double *x, double a, int n) {
  auto root = std::make_shared<Part>();
  root->value = a;
  for (int i = 0; i < n; ++i) {
    auto part = std::make_shared<Part>();
    part->value = x[i];
    part->whole = root;
    root->parts.push_back(part);
  }
  return total(root);
}

// What is visited is called through a table: all that its functions call has to be known.
using Numbers = std::vector<double>;
struct Dense {
  double weight;
  std::shared_ptr<Numbers> seen;
  Numbers forward(const Numbers &x) {
    seen = std::make_shared<Numbers>(x);
    Numbers y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] = weight * x[i] + (*seen)[0];
    return y;
  }
};
struct Square {
  Numbers seen;
  Numbers forward(const Numbers &x) {
    seen = x;
    for (double &value : seen)
      value *= value;
    return seen;
  }
};
struct Scale {
  double by;
  Numbers last;
  Numbers forward(const Numbers &x) {
    last.assign(x.size(), by);
    for (std::size_t i = 0; i < x.size(); ++i)
      last[i] *= x[i];
    return last;
  }
};

double visit(const double *x, double a, int n) {
  std::vector<std::variant<Dense, Square, Scale>> layers;
  for (int i = 0; i < n; ++i) {
    layers.emplace_back(Dense{x[i], nullptr});
    if (i % 2)
      layers.emplace_back(Square{});
    else
      layers.emplace_back(Scale{a, {}});
  }
  Numbers values{a, x[0]};
  double sum = 0;
  for (int round = 0; round < 2; ++round) {
    for (auto &layer : layers)
      values = std::visit([&](auto &l) { return l.forward(values); }, layer);
    sum += values[0] * values[1];
    values = {a * x[1], 0.3};
  }
  return sum;
}
} // namespace

GRADIENT_CHECK(std_smart_pointers, Double, own, In(double, 7), Scalar(double), Int(7))
GRADIENT_CHECK(std_weak_pointers, Double, observe, In(double, 4), Scalar(double), Int(4))
GRADIENT_CHECK(std_visited_pointers, Double, visit, In(double, 3), Scalar(double), Int(3))
