// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::list: insertion at both ends, splicing, erasing, iteration.
// Supports: `std::list`, `deque`, `map`, `set`, `unordered_map`, queues
#include "GradientCheck.h"
#include <list>

static double chain(const double *x, double a, int n) {
  std::list<double> values, more;
  for (int i = 0; i < n; ++i) {
    values.push_back(x[i] * a);
    more.push_front(x[i] + a);
  }
  values.splice(values.end(), more);
  values.erase(values.begin());
  values.reverse();
  double sum = 0, weight = 1;
  for (double v : values) {
    sum += weight * v * v;
    weight *= 0.7;
  }
  return sum * values.size();
}

GRADIENT_CHECK(std_list, Double, chain, In(double, 6), Scalar(double), Int(6))
