// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors that grow: push_back, insert, resize, vectors of vectors, erase, swap.
// Supports: `std::vector`, `std::array`, algorithms
#include "GradientCheck.h"
#include <vector>

static double grow(const double *x, double a, int n) {
  std::vector<double> v;
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < n; ++i) {
    v.push_back(x[i] * a);
    rows.push_back({x[i]});
    for (int k = 0; k < i; ++k)
      rows.back().push_back(rows[k].back() * a);
  }
  v.insert(v.begin() + 2, a * a);
  v.resize(n + 4, x[0]);
  v.erase(v.begin());
  rows[0].swap(rows[1]);
  rows.emplace_back(std::move(rows[2]));
  double s = 0;
  for (double e : v)
    s += e * e;
  for (auto &r : rows)
    for (double e : r)
      s += e * a;
  return s;
}

GRADIENT_CHECK(std_vector_growth, Double, grow, In(double, 6), Scalar(double), Int(6))
