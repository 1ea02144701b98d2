// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ header: Jacobians and Hessians, dense, compressed, and times a vector.
//
// RUN: %cf_clangxx -std=c++20 -Wall -Wextra -Werror -O0 %s -o %t0
// RUN: %t0 | FileCheck %s
// RUN: %cf_clangxx -std=c++20 -Wall -Wextra -Werror -O2 %s -o %t2
// RUN: %t2 | FileCheck %s

#include <contraflow/sparse.hpp>

#include <cmath>
#include <complex>
#include <cstdio>

namespace cf = contraflow;

struct Point {
  double x, y;
};

static double ring(const double *v, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += v[i] * v[i] * v[(i + 1) % n];
  return sum;
}
static std::vector<double> residual(const std::vector<double> &u, double k) {
  const std::size_t n = u.size();
  std::vector<double> r(n);
  for (std::size_t i = 0; i < n; ++i)
    r[i] = k * u[i] * u[i] - (i ? 2 * u[i - 1] : 0) - (i + 1 < n ? 3 * u[i + 1] : 0);
  return r;
}
static double valley(const double *x, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double bend = x[i + 1] - x[i] * x[i];
    sum += 100 * bend * bend + (1 - x[i]) * (1 - x[i]);
  }
  return sum;
}
template <class A, class B> static double difference(const A &a, const B &b) {
  double sum = 0;
  for (std::size_t i = 0; i != a.rows(); ++i)
    for (std::size_t j = 0; j != a.columns(); ++j)
      sum += std::abs(a(i, j) - b(i, j));
  return sum;
}

int main() {
  std::vector<double> x{1, 2, 3};
  const std::vector<double> direction{1, 0, 0};

  // CHECK: hessian 4 2 6, 2 6 4, 6 4 2; product 4 2 6
  const auto h = cf::hessian(ring, x, 3);
  const auto hv = cf::hvp(ring, x, direction, 3);
  std::printf("hessian %g %g %g, %g %g %g, %g %g %g; product %g %g %g\n", h(0, 0), h(0, 1), h(0, 2),
              h(1, 0), h(1, 1), h(1, 2), h(2, 0), h(2, 1), h(2, 2), hv[0], hv[1], hv[2]);

  // CHECK: product of a structure 10 4
  const auto pv = cf::hvp([](const Point &p) { return p.x * p.x * p.y; }, Point{2, 5}, Point{1, 0});
  std::printf("product of a structure %g %g\n", pv[0], pv[1]);

  // CHECK: columns 2 1 0, 0 0 3
  const double k = 3;
  const auto columns = cf::jacobian(
      [&](const double *v) { return std::array<double, 2>{v[0] * v[1], k * v[2]}; }, x);
  std::printf("columns %g %g %g, %g %g %g\n", columns(0, 0), columns(0, 1), columns(0, 2),
              columns(1, 0), columns(1, 1), columns(1, 2));

  // CHECK: rows 1 x 8, 16
  const std::vector<double> ones(8, 1.0);
  const auto rows = cf::jacobian(
      [](const std::vector<double> &v) {
        double sum = 0;
        for (double one : v)
          sum += one;
        return sum * sum;
      },
      ones);
  std::printf("rows %zu x %zu, %g\n", rows.rows(), rows.columns(), rows(0, 7));

  // CHECK: structures 5 2, 1 3; complex 2 -4, 4 2
  const auto p =
      cf::jacobian([](const Point &q) { return Point{q.x * q.y, q.x + 3 * q.y}; }, Point{2, 5});
  const auto z =
      cf::jacobian([](std::complex<double> c) { return c * c; }, std::complex<double>(1, 2));
  std::printf("structures %g %g, %g %g; complex %g %g, %g %g\n", p(0, 0), p(0, 1), p(1, 0), p(1, 1),
              z(0, 0), z(0, 1), z(1, 0), z(1, 1));

  // CHECK: third derivative -0.877583
  const double third = cf::tangent(
      [](double v) {
        return cf::tangent(
            [](double u) { return cf::gradient([](double s) { return std::sin(s); }, u); },
            cf::dup(v, 1.0));
      },
      cf::dup(0.5, 1.0));
  std::printf("third derivative %.6f\n", third);

  // CHECK: sparse jacobian 148 entries, 3 colours, off by 0
  std::vector<double> u(50);
  for (std::size_t i = 0; i != u.size(); ++i)
    u[i] = 1 + 0.01 * static_cast<double>(i);
  const auto pattern = cf::jacobian_pattern(residual, u, 2.0);
  const auto j = cf::sparse_jacobian(pattern, residual, u, 2.0);
  std::printf("sparse jacobian %zu entries, %zu colours, off by %g\n", pattern.column.size(),
              cf::colour_columns(pattern).size(), difference(j, cf::jacobian(residual, u, 2.0)));

  // CHECK: sparse hessian 148 entries, 3 colours, off by 0
  const auto pattern2 = cf::hessian_pattern(valley, u, u.size());
  const auto h2 = cf::sparse_hessian(pattern2, valley, u, u.size());
  std::printf("sparse hessian %zu entries, %zu colours, off by %g\n", pattern2.column.size(),
              cf::colour_columns(pattern2).size(),
              difference(h2, cf::hessian(valley, u, u.size())));

  // CHECK: united 3; {{.*}}does not have the shape{{.*}}; out of
  const auto a = cf::sparsity::from_rows(3, {{0}, {2, 2}}),
             b = cf::sparsity::from_rows(3, {{1}, {2}});
  std::printf("united %zu; ", a.united_with(b).column.size());
  try {
    cf::sparse_jacobian(pattern, residual, x, 2.0);
  } catch (const std::length_error &error) {
    std::printf("%s; ", error.what());
  }
  try {
    cf::sparsity::from_rows(3, {{3}});
  } catch (const std::out_of_range &) {
    std::puts("out of range");
  }
}
