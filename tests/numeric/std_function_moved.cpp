// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::function objects that are copied and swapped, small ones beside large ones.
// Supports: `std::function`
#include "GradientCheck.h"
#include <functional>
#include <utility>
#include <vector>

/// One that keeps its numbers in memory of its own beside small ones, in which they lie: what is
/// moved between those may be an address or a number.
using Stage = std::function<double(double, int)>;

static double moved(const double *x, double a) {
  const double b = x[0] * 2, c = x[1] * a, d = x[2];
  Stage large = [b, c, d](double v, int k) { return b * v + c * d * k; };
  Stage copy = large;
  Stage small[2];
  for (int i = 0; i < 2; ++i) {
    const double w = x[i], v = x[i + 1];
    small[i] = [w, v](double u, int k) { return u * v + w * k; };
  }
  small[0] = small[1];
  std::swap(small[1], copy);
  return small[0](a, 2) + small[1](a, 1) * copy(a, 3) + large(small[0](0.5, 1), 2);
}

GRADIENT_CHECK(std_function_moved, Double, moved, In(double, 3), Scalar(double))

/// Functions that hold functions and vectors: nothing tells their memory apart, and what lies in a
/// small one moves as what lies in a large one does.
static double nested(const double *x, int n) {
  std::vector<std::function<double(double)>> parts;
  for (int i = 0; i < n; ++i)
    if (i % 2)
      parts.push_back([a = x[i], x](double v) { return a * v + x[0]; });
    else
      parts.emplace_back([c = std::vector<double>(x, x + 2)](double v) { return v * c[1]; });
  std::function<double(double)> all = parts[0];
  for (int i = 1; i < n; ++i)
    all = [f = parts[i], all](double v) { return f(all(v)); };
  return all(0.5) + 0.1 * all(x[1]);
}

GRADIENT_CHECK(std_function_nested, Double, nested, In(double, 4), Int(4))
