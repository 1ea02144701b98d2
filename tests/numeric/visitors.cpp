// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tree that is evaluated by a visitor: two virtual calls per node, each of which leads back to
// the other; and the same tree as a variant that owns its branches.
// Supports: virtual functions, multiple and virtual inheritance, pointers to members, `dynamic_cast`
#include "GradientCheck.h"
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace {
struct Number;
struct Product;
struct Visitor {
  virtual ~Visitor() = default;
  virtual void visit(const Number &) = 0;
  virtual void visit(const Product &) = 0;
};
struct Node {
  virtual ~Node() = default;
  virtual void accept(Visitor &) const = 0;
};
using Branch = std::unique_ptr<Node>;
struct Number : Node {
  double value;
  explicit Number(double v) : value(v) {}
  void accept(Visitor &v) const override { v.visit(*this); }
};
struct Product : Node {
  Branch left, right;
  Product(Branch l, Branch r) : left(std::move(l)), right(std::move(r)) {}
  void accept(Visitor &v) const override { v.visit(*this); }
};
struct Evaluate : Visitor {
  double result = 0;
  void visit(const Number &n) override { result = n.value; }
  void visit(const Product &p) override {
    p.left->accept(*this);
    double left = result;
    p.right->accept(*this);
    result = result * left + 1;
  }
};

double visited(const double *x, double a, int n) {
  Branch tree = std::make_unique<Number>(a);
  for (int i = 0; i < n; ++i)
    tree = std::make_unique<Product>(std::move(tree), std::make_unique<Number>(x[i]));
  Evaluate e;
  tree->accept(e);
  return e.result;
}

struct Sum;
using Term = std::variant<double, std::unique_ptr<Sum>>;
struct Sum {
  Term left, right;
};
double evaluate(const Term &t) {
  return std::visit(
      [](auto &v) -> double {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, double>)
          return v;
        else
          return evaluate(v->left) * 0.5 + evaluate(v->right) * evaluate(v->left);
      },
      t);
}

double chosen(const double *x, double a, int n) {
  Term tree = a;
  for (int i = 0; i < n; ++i) {
    auto next = std::make_unique<Sum>();
    next->left = std::move(tree);
    next->right = x[i];
    tree = std::move(next);
  }
  return evaluate(tree);
}
} // namespace

GRADIENT_CHECK(visitor, Double, visited, In(double, 3), Scalar(double), Int(3))
GRADIENT_CHECK(visited_variant, Double, chosen, In(double, 3), Scalar(double), Int(3))
