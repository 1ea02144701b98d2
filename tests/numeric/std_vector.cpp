// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::vector: sized, grown, copied, swapped, of vectors.
// Supports: `std::vector`, `std::array`, algorithms
#include "GradientCheck.h"
#include <vector>

static double sized(const double *x, int n) {
  std::vector<double> u(x, x + n), v(n, 0.0);
  for (int step = 0; step < 3; ++step) {
    for (int i = 1; i + 1 < n; ++i)
      v[i] = u[i] + 0.1 * u[i] * (u[i - 1] - 2 * u[i] + u[i + 1]);
    std::swap(u, v);
  }
  double sum = 0;
  for (const double e : u)
    sum += e * e;
  return sum;
}

static double grown(const double *x, int n) {
  std::vector<double> kept;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0.7)
      kept.push_back(x[i] * x[0]);
  double product = 1;
  for (std::size_t i = 0; i < kept.size(); ++i)
    product *= kept[i] + 0.1 * static_cast<double>(i);
  return product;
}

static double nested(const double *x, int n) {
  std::vector<std::vector<double>> rows(n, std::vector<double>(n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      rows[i][j] = x[i] * x[j] + (i == j);
  std::vector<std::vector<double>> copy = rows;
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < n; ++j)
      copy[i][j] *= copy[i - 1][j] + rows[j][i];
  return copy[n - 1][0] + copy[n - 1][n - 1];
}

GRADIENT_CHECK(vector_sized, Double, sized, In(double, 8), Int(8))
GRADIENT_CHECK(vector_grown, Double, grown, In(double, 9), Int(9))
GRADIENT_CHECK(vector_nested, Double, nested, In(double, 4), Int(4))
