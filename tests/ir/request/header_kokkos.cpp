// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header for Kokkos: shadows of views, on views in short.
//
// RUN: %cf_clangxx -std=c++20 -Wall -Wextra -Werror -O0 -I %S/Inputs %s -o %t0
// RUN: %t0 | FileCheck %s
// RUN: %cf_clangxx -std=c++20 -Wall -Wextra -Werror -O2 -I %S/Inputs %s -o %t2
// RUN: %t2 | FileCheck %s

#include <contraflow/kokkos.hpp>

#include <cstdio>
#include <vector>

namespace cf = contraflow;
using Vector = Kokkos::View<double *>;
using Matrix = Kokkos::View<double **>;

static double energy(const Vector &x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.extent(0); ++i)
    sum += x(i) * x(i) * x(i);
  return sum;
}

struct Model {
  Matrix a;
  Kokkos::View<const double *> b, again;
  Kokkos::View<int *> index;
  Kokkos::DualView<double *> both;
  double k;
};
static double product(const Model &m) {
  double sum = 0;
  for (std::size_t i = 0; i < m.a.extent(0); ++i)
    for (std::size_t j = 0; j < m.a.extent(1); ++j)
      sum += m.k * m.a(i, j) * m.b(m.index(j)) * m.both.view_host()(i);
  return sum * m.again(0);
}

class Hidden {
public:
  Hidden(const Vector &view, int n) : x(view), size(n) {}
  double first() const { return x(0) * x(0) * size; }
  friend auto contraflow_members(Hidden &h) { return std::tie(h.x); }

private:
  Vector x;
  int size;
};
static double first(const Hidden &h) { return h.first(); }

int main() {
  Vector x("x", 3);
  for (int i = 0; i < 3; ++i)
    x(i) = i + 1;
  const Vector g = cf::gradient(energy, x);
  Vector dot = cf::make_shadow(x);
  dot(2) = 1;
  const double slope = cf::tangent(energy, cf::dup(x, dot));
  cf::zero_shadow(dot);
  // CHECK: view x_bar 3 12 27, 27, 0
  std::printf("view %s %g %g %g, %g, %g\n", g.label().c_str(), g(0), g(1), g(2), slope, dot(2));

  Model m{
      Matrix("a", 2, 3), x, x, Kokkos::View<int *>("i", 3), Kokkos::DualView<double *>("d", 2), 2};
  for (int i = 0; i < 2; ++i) {
    m.both.view_host()(i) = i + 1;
    for (int j = 0; j < 3; ++j)
      m.a(i, j) = i + j;
  }
  for (int j = 0; j < 3; ++j)
    m.index(j) = 2 - j;
  const Model bar = cf::gradient(product, m);
  // CHECK: model 12, 64 10 4, shared 1 1, index 0, 8 20, 24
  std::printf("model %g, %g %g %g, shared %d %d, index %d, %g %g, %g\n", bar.a(1, 0), bar.b(0),
              bar.b(1), bar.b(2), bar.b.data() == bar.again.data(),
              bar.both.view_host().data() == bar.both.view_device().data(), bar.index(2),
              bar.both.view_host()(0), bar.both.view_host()(1), bar.k);

  const Hidden h(x, 5), h_bar = cf::gradient(first, h);
  // CHECK: hidden 10
  std::printf("hidden %g\n", h_bar.first() / 50);

  const auto many = cf::make_shadow(std::vector<Vector>{x, dot, x});
  const auto pair =
      cf::make_shadow(Kokkos::View<Kokkos::pair<double, Kokkos::complex<double>> *>());
  int parts = 0;
  try {
    cf::make_shadow(std::vector<Vector>{x, x.tail(1)});
  } catch (const std::invalid_argument &) {
    parts = 1;
  }
  // CHECK: many 1 1, none 1, parts 1
  std::printf("many %d %d, none %d, parts %d\n", many[0].data() == many[2].data(),
              many[0].data() != many[1].data(), !pair.data(), parts);
}
