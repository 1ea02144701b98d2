// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A registered derivative whose primal is given objects with vectors in them, numbers and indices,
// that are gone when the reverse sweep comes to it: it reads them again.
// Supports: registered derivatives of functions that are given objects
#include "GradientCheck.h"
#include <cstddef>
#include <vector>

namespace {
struct Mesh {
  std::vector<double> x;
  std::vector<std::vector<int>> elements;
};
struct Stiffness {
  const Mesh *mesh;
  std::vector<double> k;
};
using Field = std::vector<double>;

__attribute__((noinline)) void apply(const Stiffness &op, const Field &u, Field &r) {
  const Mesh &m = *op.mesh;
  for (std::size_t e = 0; e < m.elements.size(); ++e) {
    const int a = m.elements[e][0], b = m.elements[e][1];
    const double g = op.k[e] * (u[b] - u[a]) / (m.x[b] - m.x[a]);
    r[b] += g;
    r[a] -= g;
  }
}

void augmentedApply(const Stiffness &op, Stiffness &, const Field &u, Field &, Field &r, Field &) {
  apply(op, u, r);
}

void reverseApply(const Stiffness &op, Stiffness &op_bar, const Field &u, Field &u_bar, Field &,
                  Field &r_bar) {
  const Mesh &m = *op.mesh;
  Mesh &m_bar = const_cast<Mesh &>(*op_bar.mesh);
  for (std::size_t e = 0; e < m.elements.size(); ++e) {
    const int a = m.elements[e][0], b = m.elements[e][1];
    const double h = m.x[b] - m.x[a], w = (r_bar[b] - r_bar[a]) / h;
    op_bar.k[e] += w * (u[b] - u[a]);
    u_bar[b] += w * op.k[e];
    u_bar[a] -= w * op.k[e];
    m_bar.x[b] -= w * op.k[e] * (u[b] - u[a]) / h;
    m_bar.x[a] += w * op.k[e] * (u[b] - u[a]) / h;
  }
}
} // namespace

void *__enzyme_register_gradient_apply[] = {reinterpret_cast<void *>(apply),
                                            reinterpret_cast<void *>(augmentedApply),
                                            reinterpret_cast<void *>(reverseApply)};

static double residual(const double *p, int n) {
  Mesh m;
  for (int i = 0; i < n; ++i)
    m.x.push_back(i + 0.1 * p[2] * i * i);
  for (int i = 0; i + 1 < n; ++i)
    m.elements.push_back({i, i + 1});
  Stiffness op{&m, {p[0], p[1], p[0] * p[1]}};
  const Field u{0, p[1], 2, p[0]};
  Field r(u.size());
  apply(op, u, r);
  double s = 0;
  for (double v : r)
    s += v * v;
  return s;
}

GRADIENT_CHECK(registered_objects, Double, residual, In(double, 3), Int(4))
