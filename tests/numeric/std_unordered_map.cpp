// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::unordered_map, with growth.
// Supports: `std::list`, `deque`, `map`, `set`, `unordered_map`, queues
#include "GradientCheck.h"
#include <unordered_map>

static double table(const double *x, double a, int n) {
  std::unordered_map<int, double> values;
  for (int i = 0; i < n; ++i)
    values[i * 13] = x[i] * a;
  for (int i = 0; i < n; i += 3)
    values[i * 13] *= values[(n - 1 - i) * 13];
  values.erase(13);
  double sum = 0;
  for (auto &[key, value] : values)
    sum += value * value * (1 + key);
  return sum;
}

GRADIENT_CHECK(std_unordered_map, Double, table, In(double, 20), Scalar(double), Int(20))
