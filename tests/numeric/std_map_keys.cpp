// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::set and std::multimap of doubles; a map of pairs that is copied and loses a key.
// Supports: `std::list`, `deque`, `map`, `set`, `unordered_map`, queues
#include "GradientCheck.h"
#include <map>
#include <set>
#include <utility>

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

// A descent in the tree whose ways part twice: the distance of the next node is a phi.
static double sparseMatrix(const double *x, int n) {
  std::map<std::pair<int, int>, double> entries;
  for (int i = 0; i < n; ++i) {
    entries[{i, i}] = x[i];
    entries[{i, (i + 1) % n}] = x[i] * x[0];
  }
  auto square = entries;
  for (const auto &[ij, v] : entries)
    square[{ij.second, ij.first}] += v * v;
  square.erase({1, 1});
  double sum = 0;
  for (const auto &[ij, v] : square)
    sum += v * v * (ij.first + 1) / (ij.second + 1);
  return sum;
}

GRADIENT_CHECK(std_map_of_pairs, Double, sparseMatrix, In(double, 5), Int(5))
