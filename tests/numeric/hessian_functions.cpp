// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Supports: derivatives of derivatives through std::function
//
// Hessian-vector products through functions chosen at run time, which carry numbers: the compiler
// takes every function of the file whose type fits for one that may be called. And a merge sort.
#include "Hessian.h"

#include <algorithm>
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

struct Particle {
  double charge, momentum;
  int cell;
};

// What a pointer is behind a loop is a sum of integers, which the adjoint keeps.
static double hessian_sorted(const double *x) {
  std::vector<Particle> all(24);
  for (int i = 0; i < 24; ++i)
    all[i] = {x[i % 4], x[(i + 1) % 4] * i, i * 5 % 4};
  std::stable_sort(all.begin(), all.end(),
                   [](const Particle &a, const Particle &b) { return a.cell < b.cell; });
  double s = 0;
  for (int i = 0; i < 24; ++i)
    s += all[i].charge * all[i].momentum * i;
  return s;
}
HESSIAN(hessian_sorted)
