// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward derivatives by operators inside the primal: a gradient of a derivative.
#include "GradientCheck.h"
#include <cmath>

namespace {

struct Dual {
  double v, d;
};
Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
Dual sin(Dual a) { return {std::sin(a.v), std::cos(a.v) * a.d}; }

double slope(const double *c, double t, int n) {
  Dual x{t, 1}, p{0, 0};
  for (int i = n - 1; i >= 0; --i)
    p = p * x + Dual{c[i], 0} * sin(x);
  return p.d;
}

} // namespace

GRADIENT_CHECK(dual_numbers, Double, slope, In(double, 5), Scalar(double), Int(5))
