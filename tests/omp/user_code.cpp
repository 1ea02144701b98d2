// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What C++ programs do in regions: methods, containers, classes that are reduced, exceptions,
// trees.
// Supports: `declare reduction` of containers, trees of tasks over `unique_ptr`, range-based `for`
#include "GradientCheck.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <iostream>
#include <memory>
#include <numeric>
#include <omp.h>
#include <stdexcept>
#include <vector>

class Field {
  std::vector<double> v;
  double factor;

public:
  Field(const double *x, int n, double f) : v(x, x + n), factor(f) {}
  void relax() {
    std::vector<double> w(v.size());
#pragma omp parallel for
    for (std::size_t i = 0; i < v.size(); ++i) {
      std::size_t l = i ? i - 1 : 0, r = i + 1 < v.size() ? i + 1 : i;
      w[i] = factor * v[i] + 0.25 * (v[l] + v[r]);
    }
    std::swap(v, w);
  }
  double norm() const {
    double s = 0;
#pragma omp parallel reduction(+ : s)
    {
#pragma omp for nowait
      for (auto it = v.begin(); it < v.end(); ++it)
        s += *it * *it;
    }
    return std::sqrt(s);
  }
  template <typename F> void each(F &&f) {
#pragma omp parallel for schedule(dynamic, 3)
    for (double &e : v)
      f(e);
  }
  const double &operator[](int i) const { return v[i]; }
};
static double field(const double *x, double *y, int n) {
  Field f(x, n, x[0]);
  for (int i = 0; i < 3; i++)
    f.relax();
  f.each([a = x[1], &x](double &e) { e = a * e + x[2]; });
  for (int i = 0; i < n; i++)
    y[i] = f[i];
  return f.norm();
}
GRADIENT_CHECK(user_field, Double, field, In(double, 17), Out(double, 17), Int(17))

using vec = std::vector<double>;
#pragma omp declare reduction(plus:vec : std::transform(                                           \
        omp_out.begin(), omp_out.end(), omp_in.begin(), omp_out.begin(), std::plus<double>()))     \
    initializer(omp_priv = vec(omp_orig.size()))
static double vectors(const double *x, double *y, int n) {
  vec h(5, x[0]);
#pragma omp parallel for reduction(plus : h)
  for (int i = 0; i < n; i++) {
    vec own(3, x[i]);
    own.push_back(x[i] * x[n - 1 - i]);
    h[i % 5] += std::accumulate(own.begin(), own.end(), 0.0);
  }
  for (int i = 0; i < n; i++)
    y[i] = h[i % 5] * x[i];
  return h[0] * h[4];
}
GRADIENT_CHECK(user_vectors, Double, vectors, In(double, 17), Out(double, 17), Int(17))

template <int R, int C> struct Matrix {
  std::array<double, R * C> a{};
  double &operator()(int i, int j) { return a[i * C + j]; }
  double operator()(int i, int j) const { return a[i * C + j]; }
  Matrix &operator+=(const Matrix &o) {
    for (int i = 0; i < R * C; i++)
      a[i] += o.a[i];
    return *this;
  }
};
template <int A, int B, int C>
Matrix<A, C> operator*(const Matrix<A, B> &l, const Matrix<B, C> &r) {
  Matrix<A, C> m;
  for (int i = 0; i < A; i++)
    for (int j = 0; j < C; j++)
      for (int k = 0; k < B; k++)
        m(i, j) += l(i, k) * r(k, j);
  return m;
}
using M3 = Matrix<3, 3>;
#pragma omp declare reduction(madd:M3 : omp_out += omp_in) initializer(omp_priv = M3())
static double matrices(const double *x, double *y, int n) {
  M3 sum;
#pragma omp parallel for reduction(madd : sum) schedule(static, 2)
  for (int i = 0; i < n; i++) {
    M3 m;
    for (int k = 0; k < 9; k++)
      m.a[k] = x[(i + k) % n];
    sum += m * m;
  }
  for (int i = 0; i < n; i++)
    y[i] = sum.a[i % 9];
  return sum(0, 0) * sum(2, 1);
}
GRADIENT_CHECK(user_matrices, Double, matrices, In(double, 10), Out(double, 10), Int(10))

static double risky(double a) {
  if (a > 1.2)
    throw std::runtime_error("large");
  return a * a;
}
static double caught(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    try {
      y[i] = risky(x[i]);
    } catch (const std::exception &) {
      y[i] = 3 * x[i];
    }
    s += y[i] * x[i];
  }
  return s;
}
GRADIENT_CHECK(user_caught, Double, caught, In(double, 17), Out(double, 17), Int(17))

static double atomics(const double *x, double *y, int n) {
  std::atomic<double> s{0}, p{1};
  std::atomic<int> count{0};
#pragma omp parallel
  {
    double own = 0;
#pragma omp for
    for (int i = 0; i < n; i++) {
      own += x[i] * x[i];
      y[i] = x[i];
      count++;
    }
    s.fetch_add(own);
    double old = p.load();
    while (!p.compare_exchange_weak(old, old * (1 + 0.0 * own))) {
    }
  }
  return s.load() * p * x[0];
}
GRADIENT_CHECK(user_atomics, Double, atomics, In(double, 17), Out(double, 17), Int(17))

static thread_local double local_sum;
static double locals(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel
  {
    local_sum = 0;
#pragma omp for
    for (int i = 0; i < n; i++) {
      local_sum += x[i] * x[i];
      y[i] = x[i];
    }
#pragma omp critical
    s += local_sum;
  }
  return s * x[0];
}
GRADIENT_CHECK(user_locals, Double, locals, In(double, 17), Out(double, 17), Int(17))

struct Node {
  double value;
  std::unique_ptr<Node> l, r;
  Node(const double *x, int from, int to) : value(x[(from + to) / 2]) {
    int m = (from + to) / 2;
    if (from < m)
      l = std::make_unique<Node>(x, from, m);
    if (m + 1 < to)
      r = std::make_unique<Node>(x, m + 1, to);
  }
  double sum() const {
    double a = 0, b = 0;
    if (l) {
#pragma omp task shared(a)
      a = l->sum();
    }
    if (r) {
#pragma omp task shared(b) if (r -> l)
      b = r->sum();
    }
#pragma omp taskwait
    return value * value + std::sin(a) + b * value;
  }
  void scale(double by) {
    value *= by;
    if (l) {
#pragma omp task
      l->scale(by);
    }
    if (r) {
#pragma omp task
      r->scale(by * 0.5);
    }
  }
};
static double trees(const double *x, double *y, int n) {
  auto root = std::make_unique<Node>(x, 0, n);
  double s = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    root->scale(x[1]);
    s = root->sum();
  }
  for (int i = 0; i < n; i++)
    y[i] = x[i] * s;
  return s;
}
GRADIENT_CHECK(user_trees, Double, trees, In(double, 17), Out(double, 17), Int(17))

struct Worker {
  std::vector<std::unique_ptr<double[]>> buffers;
  const double *x;
  int n;
  Worker(const double *x, int n) : x(x), n(n) {}
  double run() {
    double total = 0;
#pragma omp parallel
#pragma omp single
    {
      buffers.resize(4);
      for (int k = 0; k < 4; k++) {
#pragma omp task depend(out : buffers[k])
        {
          buffers[k] = std::make_unique<double[]>(n);
          for (int i = 0; i < n; i++)
            buffers[k][i] = x[i] * (k + 1);
        }
#pragma omp task depend(inout : buffers[k]) depend(inout : total) shared(total)
        {
          for (int i = 0; i < n; i++)
            total += buffers[k][i] * x[n - 1 - i];
          buffers[k].reset();
        }
      }
    }
    return total;
  }
};
static double workers(const double *x, double *y, int n) {
  Worker w(x, n);
  double s = w.run();
  for (int i = 0; i < n; i++)
    y[i] = s * x[i];
  return s;
}
GRADIENT_CHECK(user_workers, Double, workers, In(double, 9), Out(double, 9), Int(9))

template <typename T> struct View {
  T *p;
  int rows, cols;
  T &operator()(int i, int j) const { return p[i * cols + j]; }
};
static double views(const double *x, double *y, int n) {
  View<const double> a{x, 3, n / 3};
  View<double> b{y, n / 3, 3};
  double s = 0;
#pragma omp parallel for collapse(2) reduction(+ : s)
  for (int i = 0; i < a.rows; i++)
    for (int j = 0; j < a.cols; j++) {
      b(j, i) = a(i, j) * a(2 - i, j);
      s += b(j, i) * a(i, 0);
    }
  return s;
}
GRADIENT_CHECK(user_views, Double, views, In(double, 18), Out(double, 18), Int(18))

// What a region prints is no reason against several directions.
enum { Logged = 8 };
static void logged(const double *x, double *y) {
#pragma omp parallel for
  for (int i = 0; i < Logged; ++i) {
    y[i] = x[i] * x[(i + 1) % Logged];
    if (!std::isfinite(y[i]))
      std::cerr << "no number at " << i << std::endl;
  }
}
static double user_logged_primal(void *const *v) {
  logged((double *)v[0], (double *)v[1]);
  return 0;
}
static double user_logged_tangent(void *const *v, void *const *d) {
  __enzyme_fwddiff<void>((void *)logged, (double *)v[0], (double *)d[0], (double *)v[1],
                         (double *)d[1]);
  return 0;
}
static void user_logged_adjoint(void *const *v, void *const *d) {
  double x[Logged] = {}, *bar = (double *)d[0], y[Logged];
  for (int i = 0; i < Logged; ++i)
    y[i] = 2 * ((double *)d[1])[i];
  __enzyme_autodiff<void>((void *)logged, enzyme_width, 2, enzyme_dup, (double *)v[0], bar, x,
                          enzyme_dup, (double *)v[1], (double *)d[1], y);
}
GRADIENT_CHECK_CUSTOM(user_logged, Void, user_logged_primal, user_logged_tangent,
                      user_logged_adjoint, In(double, Logged), Out(double, Logged))

// Tables that are made when a function is called for the first time, which is in the first of two
// directions: Who is not the same in the primal.
template <int Who> static double tabled(int i) {
  static const std::vector<double> table = [] {
    std::vector<double> made(Logged);
    for (int k = 0; k < Logged; ++k)
      made[k] = 1.0 / (k + 1);
    return made;
  }();
  return table[i];
}
template <int Who> static void weighted(const double *x, double *y) {
#pragma omp parallel for
  for (int i = 0; i < Logged; ++i)
    y[i] = x[i] * x[(i + 1) % Logged] * tabled<Who>(i);
}
static double user_weighted_primal(void *const *v) {
  weighted<0>((double *)v[0], (double *)v[1]);
  return 0;
}
static double user_weighted_tangent(void *const *v, void *const *d) {
  __enzyme_fwddiff<void>((void *)weighted<1>, (double *)v[0], (double *)d[0], (double *)v[1],
                         (double *)d[1]);
  return 0;
}
static void user_weighted_adjoint(void *const *v, void *const *d) {
  double x[Logged] = {}, *bar = (double *)d[0], y[Logged];
  for (int i = 0; i < Logged; ++i)
    y[i] = 2 * ((double *)d[1])[i];
  __enzyme_autodiff<void>((void *)weighted<2>, enzyme_width, 2, enzyme_dup, (double *)v[0], x, bar,
                          enzyme_dup, (double *)v[1], y, (double *)d[1]);
}
GRADIENT_CHECK_CUSTOM(user_weighted, Void, user_weighted_primal, user_weighted_tangent,
                      user_weighted_adjoint, In(double, Logged), Out(double, Logged))
