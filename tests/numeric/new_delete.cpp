// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// new and delete of arrays and of single objects.
// Supports: `new` and `delete`
#include "GradientCheck.h"

namespace {

struct Sample {
  double value, weight;
};

double allocate(const double *x, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) {
    auto *s = new Sample{x[i] * x[i], x[(i + 1) % n]};
    double *history = new double[i + 2];
    history[0] = s->value;
    for (int k = 1; k < i + 2; ++k)
      history[k] = history[k - 1] * s->weight + 0.1;
    total += history[i + 1] * s->value;
    delete[] history;
    delete s;
  }
  return total;
}

} // namespace

GRADIENT_CHECK(new_delete, Double, allocate, In(double, 5), Int(5))
