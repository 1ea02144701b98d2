// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::set and std::multimap of doubles.
// Supports: `std::list`, `deque`, `map`, `set`, `unordered_map`, queues
#include "GradientCheck.h"
#include <map>
#include <set>

static double ordered(const double *x, double a, int n) {
  std::set<double> keys;
  std::multimap<double, double> pairs;
  for (int i = 0; i < n; ++i) {
    keys.insert(x[i] * a);
    pairs.emplace(x[i], x[i] * x[i] + a);
  }
  double sum = 0, weight = 1;
  for (double k : keys)
    sum += (weight *= 0.5) * k * k;
  for (auto &[k, v] : pairs)
    sum += (weight *= 1.5) * k * v;
  return sum;
}

GRADIENT_CHECK(std_map_keys, Double, ordered, In(double, 7), Scalar(double), Int(7))
