// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Supports: derivatives of derivatives through std::function
//
// Hessian-vector products through functions chosen at run time, which carry numbers. The compiler
// takes every function of the file whose type fits for one that may be called.
#include "Hessian.h"

#include <cmath>
#include <functional>
#include <vector>

enum { n = 6 };

static double product(const double *x, int i) { return x[i % n] * x[(i + 1) % n]; }

static double hessian_function(const double *x) {
  std::vector<std::function<double(double)>> stages;
  for (int i = 0; i < n; ++i) {
    const double a = x[i], b = product(x, i), c = a * b;
    stages.push_back([a, b, c](double v) { return a * v * v + std::sin(b * c * v); });
  }
  std::function<double(double)> last = [k = x[0]](double v) { return k * k * v; };
  stages.push_back(last);
  double v = x[0];
  for (auto &stage : stages)
    v = 0.3 * stage(v);
  return v * v;
}
HESSIAN(hessian_function)
HESSIAN_TWICE(hessian_function)
