// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::deque, growing at both ends over several blocks; a queue and a stack.
// Supports: `std::list`, `deque`, `map`, `set`, `unordered_map`, queues
#include "GradientCheck.h"
#include <deque>
#include <queue>
#include <stack>

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

GRADIENT_CHECK(std_deque, Double, ends, In(double, 70), Scalar(double), Int(70))
