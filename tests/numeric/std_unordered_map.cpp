// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::unordered_map, with growth, and keys that are structures of two integers; of floats by
// strings, copied, swapped and grown.
// Supports: `std::list`, `deque`, `map`, `set`, `unordered_map`, queues
#include "GradientCheck.h"
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

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

namespace {
struct Cell {
  int i, j;
  bool operator==(const Cell &other) const { return i == other.i && j == other.j; }
};
struct CellHash {
  unsigned long operator()(const Cell &c) const { return c.i * 31ul + c.j; }
};
} // namespace

static double grid(const double *x, int n) {
  std::unordered_map<Cell, double, CellHash> values;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      values[{i, j}] += x[i] * x[j];
  double sum = 0;
  for (auto &[cell, value] : values)
    sum += value * (cell.i + 2 * cell.j);
  const auto found = values.find({1, 0});
  return found == values.end() ? sum : sum * found->second;
}

static double swapped(const double *x, int n) {
  std::unordered_map<int, double> old, next;
  for (int i = 0; i < n; ++i)
    old[i * 7 % 5] += x[i];
  for (int step = 0; step < 3; ++step) {
    for (auto &[key, value] : old)
      next[(key + step) % 6] += value * value * 0.5;
    std::swap(old, next);
    next.clear();
  }
  double sum = 0;
  for (int key = 0; key < 6; ++key)
    if (const auto found = old.find(key); found != old.end())
      sum += found->second * (1 + key);
  return sum;
}

static float named(const float *x, int n) {
  std::unordered_map<std::string, float> all;
  for (int i = 0; i < 4 * n; ++i)
    all["k" + std::to_string(i * 3 % 17)] += x[i % n] * x[i % n] * float(i);
  all.erase("k3");
  all.erase(all.find("k4"));
  auto other = all;
  other.rehash(101);
  other["new"] = x[1];
  std::swap(all, other);
  float sum = 0;
  for (auto &[key, value] : other)
    sum += value * float(key.size());
  for (int i = 0, k = 1; i < 17; ++i)
    if (auto it = all.find("k" + std::to_string(i)); it != all.end())
      sum += float(k++) * std::sin(it->second * 1e-2f);
  return sum * 1e-2f + all["new"] * x[2];
}

GRADIENT_CHECK(std_unordered_map_named, Float, named, In(float, 6), Int(6))
GRADIENT_CHECK(std_unordered_map_swapped, Double, swapped, In(double, 8), Int(8))
GRADIENT_CHECK(std_unordered_map_cells, Double, grid, In(double, 4), Int(4))
GRADIENT_CHECK(std_unordered_map, Double, table, In(double, 20), Scalar(double), Int(20))
