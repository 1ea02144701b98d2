// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::map: the tree is built, searched, copied, thinned out and walked.
// Supports: `std::list`, `deque`, `map`, `set`, `unordered_map`, queues
#include "GradientCheck.h"
#include <algorithm>
#include <map>
#include <unordered_map>
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

// A tree beside a hash table in one class: members of one lie where those of a node of the other
// do.
namespace {
class Curve {
public:
  void add(int day, double rate) {
    rates[day] += rate;
    memo.clear();
  }
  double at(int day) {
    if (auto known = memo.find(day); known != memo.end())
      return known->second;
    auto next = rates.lower_bound(day);
    return memo[day] = next == rates.end() ? rates.begin()->second : next->second * day;
  }

private:
  std::map<int, double> rates;
  std::unordered_map<int, double> memo;
};

double curve(const double *x, int n) {
  Curve c;
  double s = 0;
  for (int i = 0; i < n; ++i) {
    c.add(i * 7 % n, x[i] * x[0]);
    for (int day = -1; day < 2 * i; ++day)
      s += c.at(day * 5 % n) * c.at(i);
  }
  return s;
}
} // namespace
GRADIENT_CHECK(std_map_memo, Double, curve, In(double, 6), Int(6))
