// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::map: the tree is built, searched, copied, thinned out and walked.
// Supports: `std::list`, `deque`, `map`, `set`, `unordered_map`, queues
#include "GradientCheck.h"
#include <map>

static double table(const double *x, double a, int n) {
  std::map<int, double> values;
  for (int i = 0; i < n; ++i)
    values[(i * 7) % n] += x[i] * a;
  std::map<int, double> copy = values;
  copy.erase(3);
  copy[n + 2] = a * x[0];
  for (int i = 0; i < n; ++i)
    copy[-i] = x[i] * x[n - 1 - i];
  double sum = 0;
  for (auto &[key, value] : copy)
    sum += value * value * (key + 1);
  return sum + values.find(1)->second;
}

GRADIENT_CHECK(std_map, Double, table, In(double, 9), Scalar(double), Int(9))
