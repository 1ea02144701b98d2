// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::map: the tree is built, searched, copied, thinned out and walked.
// Supports: `std::list`, `deque`, `map`, `set`, `unordered_map`, queues
#include "GradientCheck.h"
#include <algorithm>
#include <map>
#include <vector>

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

// A map's keys go to an array that is sorted as a whole.
namespace {
struct Triplet {
  int row, column;
  double value;
};
double sorted_entries(const double *x, int n) {
  std::vector<Triplet> entries;
  for (int i = 0; i < n; ++i)
    entries.push_back({i * 3 % 5, i % 2, x[i]});
  std::map<int, double> sums;
  for (int i = 0; i < n; ++i)
    sums[i % 3] += x[i] * x[0];
  for (auto [column, sum] : sums)
    entries.push_back({1, column, sum});
  std::sort(entries.begin(), entries.end(), [](const Triplet &a, const Triplet &b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  double total = 0, weight = 1;
  for (const Triplet &e : entries) {
    total += weight * e.value * e.column;
    weight *= 0.7;
  }
  return total;
}
} // namespace
GRADIENT_CHECK(std_map_sorted_entries, Double, sorted_entries, In(double, 8), Int(8))
