// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::array by value and by reference, nested, with range-for.
// Supports: `std::vector`, `std::array`, algorithms
#include "GradientCheck.h"
#include <array>

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

static Vector operator*(const Matrix &m, const Vector &v) {
  Vector r{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      r[i] += m[i][j] * v[j];
  return r;
}

static double arrays(const double *x) {
  Matrix m{};
  Vector v{x[9], x[10], x[11]};
  for (int i = 0; i < 9; ++i)
    m[i / 3][i % 3] = x[i];
  for (int k = 0; k < 3; ++k) {
    v = m * v;
    m[k][k] += v[0];
  }
  double sum = 0;
  for (const double e : v)
    sum += e * e;
  return sum;
}

GRADIENT_CHECK(std_array, Double, arrays, In(double, 12))
