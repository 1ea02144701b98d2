// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Throw and catch inside the differentiated function; nothing is thrown.
// Supports: `try` and `catch`
#include "GradientCheck.h"
#include <stdexcept>
#include <vector>

namespace {
struct Guard {
  double *place;
  double old;
  explicit Guard(double *p) : place(p), old(*p) {}
  ~Guard() { *place = old * 0.5; }
};

double checked(const std::vector<double> &v, int i, double a) {
  if (a < 0)
    throw std::runtime_error("negative");
  return v.at(i) * a;
}

double careful(const double *x, double a, int n) {
  std::vector<double> v(x, x + n);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    try {
      Guard g(&v[i]);
      s += checked(v, i, a);
      v[i] *= s;
    } catch (const std::exception &e) {
      s -= 1;
    }
    s += v[i] * v[i];
  }
  return s;
}
} // namespace

GRADIENT_CHECK(exceptions_not_thrown, Double, careful, In(double, 5), Scalar(double), Int(5))

// A call that stays one, since the function calls itself, under handlers of several types.
static double grow(const double *x, int n, double product) {
  if (product > 1e6)
    throw std::runtime_error("too large");
  return n == 0 ? product : grow(x, n - 1, product * x[n - 1]) + grow(x, n - 1, x[0]);
}

static double guarded(const double *x, int n) {
  double s = 0;
  for (int i = 1; i <= n; ++i) {
    try {
      s += grow(x, i, x[i - 1]) * s + x[i - 1];
    } catch (const std::runtime_error &) {
      s += x[i - 1];
    } catch (const std::out_of_range &) {
      s = 0;
    }
  }
  return s;
}

GRADIENT_CHECK(guarded_recursion, Double, guarded, In(double, 4), Int(4))
