// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::deque, growing at both ends over several blocks; a queue and a stack.
// Supports: `std::list`, `deque`, `map`, `set`, `unordered_map`, queues
#include "GradientCheck.h"
#include <deque>
#include <memory>
#include <queue>
#include <stack>
#include <vector>

static double ends(const double *x, double a, int n) {
  std::deque<double> d;
  for (int i = 0; i < n; ++i) {
    d.push_back(x[i] * a);
    d.push_front(x[i] + a);
  }
  std::queue<double> q;
  std::stack<double> s;
  for (double v : d) {
    q.push(v);
    s.push(v * v);
  }
  double sum = 0;
  while (!q.empty()) {
    sum += q.front() * s.top();
    q.pop();
    s.pop();
  }
  return sum + d[n / 2] * d.back();
}

namespace {
// Where one class has the size of its deque's map, another one has a number.
struct Part {
  virtual ~Part() = default;
  virtual void fill(const double *x) = 0;
  virtual double value(double s) const = 0;
};
struct Two : Part {
  double a = 0, b = 0;
  void fill(const double *x) override { a = x[0], b = x[1]; }
  double value(double s) const override { return s * a + b * b; }
};
struct Queue : Part {
  std::deque<double> all;
  double weight = 0;
  void fill(const double *x) override {
    for (int i = 0; i < 3; ++i)
      all.push_back(x[i]);
    all.push_front(x[0] * x[1]);
    weight = x[2];
  }
  double value(double s) const override {
    for (double e : all)
      s += e * weight;
    return s;
  }
};
} // namespace

static double parts(const double *x, int n) {
  std::vector<std::unique_ptr<Part>> all;
  for (int i = 0; i < n; ++i) {
    if (i % 2)
      all.emplace_back(new Two);
    else
      all.emplace_back(new Queue);
    all.back()->fill(x + i);
  }
  double s = 0.1;
  for (const auto &part : all)
    s += part->value(s);
  return s;
}

GRADIENT_CHECK(std_deque_parts, Double, parts, In(double, 6), Int(4))
GRADIENT_CHECK(std_deque, Double, ends, In(double, 70), Scalar(double), Int(70))
