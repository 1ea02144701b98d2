// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Supports: derivatives of derivatives through merge sorts of structures
//
// A Hessian-vector product through std::stable_sort: what a pointer is behind a loop is a sum of
// integers, which the adjoint keeps.
#pragma clang diagnostic ignored "-Wdeprecated-declarations" // what libstdc++ itself uses
#include "Hessian.h"

#include <algorithm>
#include <vector>

enum { n = 4, Count = 24 };

struct Particle {
  double charge, momentum;
  int cell;
};

static double hessian_sorted(const double *x) {
  std::vector<Particle> all(Count);
  for (int i = 0; i < Count; ++i)
    all[i] = {x[i % n], x[(i + 1) % n] * i, i * 5 % 4};
  std::stable_sort(all.begin(), all.end(),
                   [](const Particle &a, const Particle &b) { return a.cell < b.cell; });
  double s = 0;
  for (int i = 0; i < Count; ++i)
    s += all[i].charge * all[i].momentum * i;
  return s;
}
HESSIAN(hessian_sorted)
