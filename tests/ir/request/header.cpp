// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ header: every kind of argument, both modes, with and without optimisation.
//
// RUN: %cf_clangxx -std=c++20 -Wall -Wextra -Werror -O0 %s -o %t0
// RUN: %t0 | FileCheck %s
// RUN: %cf_clangxx -std=c++20 -Wall -Wextra -Werror -O2 %s -o %t2
// RUN: %t2 | FileCheck %s

#include <contraflow/contraflow.hpp>

#include <cstdio>
#include <span>

namespace cf = contraflow;

static double energy(const double *x, std::size_t n, double k) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i)
    sum += k * x[i] * x[i];
  return sum;
}
static double product(double a, double b) noexcept { return a * b; }
static double weighted(double a, float w, double b) { return a * b * w; }

struct Point {
  double x, y;
};
static void step(Point &p, const Point &q, double dt) { p.x += q.y * dt; }

int main() {
  std::vector<double> x{1, 2, 3};
  std::vector<double> x_bar(3);

  // CHECK: adjoint 4 8 12, 14
  double k_bar = cf::adjoint(energy, cf::dup(x, x_bar), cf::constant(x.size()), cf::active(2.0));
  std::printf("adjoint %g %g %g, %g\n", x_bar[0], x_bar[1], x_bar[2], k_bar);

  // CHECK: tangent 42
  std::vector<double> x_dot{1, 0, 2};
  double e_dot = cf::tangent(energy, cf::dup(x, x_dot), cf::constant(3), cf::dup(2.0, 1.0));
  std::printf("tangent %g\n", e_dot);

  // CHECK: gradient 4 8 12
  std::vector<double> g = cf::gradient(energy, x, x.size(), 2.0);
  std::printf("gradient %g %g %g\n", g[0], g[1], g[2]);

  // CHECK: value 28, gradient 4 8 12
  auto [value, slope] = cf::value_and_gradient(energy, std::span<const double>(x), 3, 2.0);
  std::printf("value %g, gradient %g %g %g\n", value, slope[0], slope[1], slope[2]);

  // CHECK: numbers 3 2
  auto numbers = cf::gradient(product, 2.0, 3.0);
  std::printf("numbers %g %g\n", numbers[0], numbers[1]);

  // CHECK: value 6, numbers 3 2; value 9, slope 6
  auto both = cf::value_and_gradient(product, 2.0, 3.0);
  auto one = cf::value_and_gradient([](double v) { return v * v; }, 3.0);
  std::printf("value %g, numbers %g %g; value %g, slope %g\n", both.value, both.gradient[0],
              both.gradient[1], one.value, one.gradient);

  // CHECK: lambda 6
  std::printf("lambda %g\n", cf::gradient([](double v) { return v * v; }, 3.0));

  // CHECK: between 6 2
  auto ends = cf::adjoint(weighted, cf::active(1.0), cf::constant(2.0f), cf::active(3.0));
  std::printf("between %g %g\n", ends[0], ends[1]);

  // CHECK: references 1, 0.5
  Point p{1, 2}, p_bar{1, 0}, q{3, 4}, q_bar{0, 0};
  cf::adjoint(step, cf::dup(p, p_bar), cf::dup(q, q_bar), cf::constant(0.5));
  std::printf("references %g, %g\n", p_bar.x, q_bar.y);

  // CHECK: a shadow has the length of its primal
  try {
    x_bar.resize(2);
    cf::adjoint(energy, cf::dup(x, x_bar), cf::constant(x.size()), cf::constant(2.0));
  } catch (const std::length_error &error) {
    std::puts(error.what());
  }
}
