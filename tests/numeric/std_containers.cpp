// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heaps, sets with a functor, maps of vectors, lists of lists, reverse iteration.
// Supports: `std::list`, `deque`, `map`, `set`, `unordered_map`, queues
#include "GradientCheck.h"
#include <list>
#include <map>
#include <queue>
#include <set>
#include <vector>
struct P {
  double v;
  int id;
};
struct C {
  bool operator()(const P &a, const P &b) const { return a.v < b.v || (a.v == b.v && a.id < b.id); }
};
static double f(const double *x, double a, int n) {
  std::priority_queue<std::pair<double, int>> q;
  std::set<P, C> s;
  std::map<int, std::vector<double>> m;
  std::list<std::list<double>> ll;
  for (int i = 0; i < n; i++) {
    q.push({x[i] * a, i});
    s.insert({x[i] * x[i], i});
    m[i % 3].push_back(x[i] + a);
    ll.push_front(std::list<double>(2, x[i]));
  }
  double r = 0, w = 1;
  while (!q.empty()) {
    auto [v, i] = q.top();
    q.pop();
    r += v * (w *= 0.9) * i;
  }
  s.erase(s.begin());
  for (auto it = s.rbegin(); it != s.rend(); ++it)
    r += it->v * it->v * (w *= 1.2);
  m.erase(1);
  for (auto &[k, v] : m)
    for (double d : v)
      r += d * d * (k + 1);
  ll.pop_back();
  for (auto &l : ll) {
    l.push_back(a);
    for (double d : l)
      r += d * l.front();
  }
  return r;
}
GRADIENT_CHECK(std_containers, Double, f, In(double, 8), Scalar(double), Int(8))
