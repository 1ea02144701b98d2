// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix class that owns its memory: constructor, destructor, copy, move, const access.
// Supports: classes, templates, expression templates, operators, references
#include "GradientCheck.h"
#include <utility>

namespace {

class Matrix {
public:
  explicit Matrix(int n) : N(n), Data(new double[n * n]) {
    for (int i = 0; i < n * n; ++i)
      Data[i] = 0;
  }
  Matrix(const Matrix &o) : Matrix(o.N) {
    for (int i = 0; i < N * N; ++i)
      Data[i] = o.Data[i];
  }
  Matrix(Matrix &&o) noexcept : N(o.N), Data(std::exchange(o.Data, nullptr)) {}
  Matrix &operator=(Matrix o) {
    std::swap(Data, o.Data);
    return *this;
  }
  ~Matrix() { delete[] Data; }
  double &operator()(int i, int j) { return Data[i * N + j]; }
  double operator()(int i, int j) const { return Data[i * N + j]; }

  Matrix operator*(const Matrix &o) const {
    Matrix r(N);
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        for (int k = 0; k < N; ++k)
          r(i, j) += (*this)(i, k) * o(k, j);
    return r;
  }

private:
  int N;
  double *Data;
};

double traceOfPower(const double *x, int n, int power) {
  Matrix a(n), p(n);
  for (int i = 0; i < n; ++i) {
    p(i, i) = 1;
    for (int j = 0; j < n; ++j)
      a(i, j) = x[i * n + j];
  }
  for (int k = 0; k < power; ++k)
    p = p * a;
  double trace = 0;
  for (int i = 0; i < n; ++i)
    trace += p(i, i);
  return trace;
}

} // namespace

GRADIENT_CHECK(class_raii, Double, traceOfPower, In(double, 9), Int(3), Int(3))

/// What begins or ends with a zero byte keeps what else is in it.
struct Flagged {
  bool live = false;
  double value;
  double *total;
  explicit Flagged(double v, double *t) : value(v), total(t) { live = true; }
  ~Flagged() {
    live = false;
    *total += value * value;
  }
};

static double flagged(const double *x, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) {
    const Flagged f(x[i], &total), g(x[i] * x[0], &total);
    total += f.live ? f.value * g.value : g.value;
  }
  return total;
}

GRADIENT_CHECK(flagged_objects, Double, flagged, In(double, 5), Int(5))
