// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::vector arguments by reference, with vectors as shadows.
// Supports: shadows of nested objects
#include "GradientCheck.h"
#include <vector>

static double smooth(const std::vector<double> &x, std::vector<double> &y) {
  double sum = 0;
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    y[i] = 0.25 * (x[i - 1] + 2 * x[i] * x[i] + x[i + 1]);
    sum += y[i] * y[i - 1];
  }
  return sum;
}

namespace {

constexpr int N = 6;

struct Bound {
  std::vector<double> x, y;
  explicit Bound(void *const *v)
      : x(static_cast<double *>(v[0]), static_cast<double *>(v[0]) + N),
        y(static_cast<double *>(v[1]), static_cast<double *>(v[1]) + N) {}
  void copyBack(void *const *v) const {
    for (int i = 0; i < N; ++i) {
      static_cast<double *>(v[0])[i] = x[i];
      static_cast<double *>(v[1])[i] = y[i];
    }
  }
};

double primal(void *const *v) {
  Bound b(v);
  const double r = smooth(b.x, b.y);
  b.copyBack(v);
  return r;
}

double tangent(void *const *v, void *const *d) {
  Bound b(v), shadow(d);
  const double r = __enzyme_fwddiff<double>((void *)smooth, enzyme_dup, &b.x, &shadow.x, enzyme_dup,
                                            &b.y, &shadow.y);
  b.copyBack(v);
  shadow.copyBack(d);
  return r;
}

void adjoint(void *const *v, void *const *d) {
  Bound b(v), shadow(d);
  __enzyme_autodiff<void>((void *)smooth, enzyme_dup, &b.x, &shadow.x, enzyme_dup, &b.y, &shadow.y);
  b.copyBack(v);
  shadow.copyBack(d);
}

} // namespace

GRADIENT_CHECK_CUSTOM(shadow_vector, Double, primal, tangent, adjoint, In(double, 6),
                      InOut(double, 6))
