// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops to the end of an array whose length nobody knows, over a second array of which an element
// is changed behind the loop: what the loop has read there is not what it holds afterwards.
#include "GradientCheck.h"
#include <cmath>
#include <cstddef>
#include <vector>

namespace {

struct Row {
  const double *begin, *end;
};

/// The length is the distance of two addresses that the loop loads again.
double changedBehind(const double *x, int n) {
  std::vector<double> a(x, x + n), b(x + n, x + 2 * n);
  std::vector<double> *rows[] = {&a, &b};
  double v[] = {x[2], x[3], x[4], x[5]}, sum = 0;
  for (double &e : v)
    for (std::vector<double> *row : rows) {
      double s = 0;
      for (std::size_t i = 0; i < row->size(); ++i) {
        s += (*row)[i] * v[i];
        (*row)[i] += 0.1 * v[i];
      }
      sum += s * s;
      e *= 1 + 0.01 * std::sin(s);
    }
  return sum;
}

double changedBehindPlain(const double *x, int n) {
  const Row rows[] = {{x, x + n}, {x + n, x + 2 * n}};
  double v[] = {x[2], x[3], x[4], x[5]}, sum = 0;
  for (int t = 0; t < n; ++t)
    for (const Row &row : rows) {
      double s = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(row.end - row.begin); ++i)
        s += row.begin[i] * v[i];
      sum += s * s;
      v[t] *= 1 + 0.01 * std::sin(s);
    }
  return sum;
}

/// Nothing but a number that varies ends the loop.
double untilLarge(const double *x, int n) {
  double v[] = {x[0], x[1], x[2], x[3], 1}, sum = 0;
  for (int t = 0; t < n; ++t) {
    double s = 0;
    for (std::size_t i = 0; s < 0.9 && i < 5; ++i)
      s += v[i] * v[i];
    double r = 0;
    for (std::size_t i = 0;; ++i) {
      r += v[i] * x[0];
      if (v[i] == 1)
        break;
    }
    sum += s * r * r;
    v[t] *= 0.8 + 0.01 * std::sin(s);
  }
  return sum;
}

} // namespace

GRADIENT_CHECK(loops_to_size, Double, changedBehind, In(double, 8), Int(4))
GRADIENT_CHECK(loops_to_end, Double, changedBehindPlain, In(double, 8), Int(4))
GRADIENT_CHECK(loops_until_one, Double, untilLarge, In(double, 8), Int(4))
