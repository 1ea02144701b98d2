// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A registered derivative whose primal is given objects with vectors in them, numbers and indices,
// that are gone when the reverse sweep comes to it: it reads them again.
// Supports: registered derivatives of functions that are given objects
#include "GradientCheck.h"
#include <cmath>
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

namespace {
/// A matrix that knows its shape, as its shadow does.
struct Matrix {
  std::vector<double> a;
  int rows = 0, columns = 0;
  double &at(int i, int j) { return a[i * columns + j]; }
  double at(int i, int j) const { return a[i * columns + j]; }
  void shape(int r, int c) {
    rows = r;
    columns = c;
    a.assign(r * c, 0.0);
  }
};

__attribute__((noinline)) void multiply(const Matrix &a, const Matrix &b, Matrix &c) {
  c.shape(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < b.columns; ++j)
      for (int k = 0; k < a.columns; ++k)
        c.at(i, j) += a.at(i, k) * b.at(k, j);
}

void augmentedMultiply(const Matrix &a, Matrix &, const Matrix &b, Matrix &, Matrix &c,
                       Matrix &c_bar) {
  multiply(a, b, c);
  c_bar.shape(a.rows, b.columns);
}

void reverseMultiply(const Matrix &a, Matrix &a_bar, const Matrix &b, Matrix &b_bar, Matrix &,
                     Matrix &c_bar) {
  for (int i = 0; i < a_bar.rows; ++i)
    for (int j = 0; j < b_bar.columns; ++j)
      for (int k = 0; k < a_bar.columns; ++k) {
        a_bar.at(i, k) += c_bar.at(i, j) * b.at(k, j);
        b_bar.at(k, j) += c_bar.at(i, j) * a.at(i, k);
      }
  c_bar.shape(c_bar.rows, c_bar.columns);
}
} // namespace

void *__enzyme_register_gradient_multiply[] = {reinterpret_cast<void *>(multiply),
                                               reinterpret_cast<void *>(augmentedMultiply),
                                               reinterpret_cast<void *>(reverseMultiply)};

/// All three are used again, two of them with other numbers.
static double products(const double *x, int n) {
  Matrix a, b, c;
  double t = 0;
  for (int s = 0; s < 3; ++s) {
    a.rows = 2;
    a.columns = n / 2;
    a.a.assign(x, x + n);
    b.rows = n / 2;
    b.columns = 2;
    b.a.resize(n);
    for (int i = 0; i < n; ++i)
      b.a[i] = x[i] * x[s];
    multiply(a, b, c);
    for (double v : c.a)
      t += std::sin(v);
    a.a[0] = t;
  }
  return t;
}

GRADIENT_CHECK(registered_shapes, Double, products, In(double, 6), Int(6))
