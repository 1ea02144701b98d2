// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads with variables of their own in a file with teams, whose regions do not come to these.
// Supports: `thread_local` variables of `std::thread`s beside regions
#include "GradientCheck.h"
#include <thread>
#include <vector>

enum { n = 10 };

static thread_local double sums[2] = {0, 0.5};

static double collect(const double *x, int low, int high) {
  for (int i = low; i < high; i++)
    sums[i % 2] += x[i] * x[i];
  return sums[0] * sums[1];
}

// Whether they are made is asked in a loop, but nobody waits for that.
static const std::vector<double> &halves() {
  static const std::vector<double> values(n, 0.5);
  return values;
}

static double beside(const double *x, double *y) {
  double a = 0, b = 0, s = 0;
  sums[0] = x[0];
  std::thread first([&] { a = collect(x, 0, n / 2); });
  std::thread second([&] { b = collect(x, n / 2, n) * x[1]; });
  first.join();
  second.join();
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    y[i] *= halves()[i] * a + x[i];
    s += b * y[i];
  }
  return s * sums[0];
}
GRADIENT_CHECK(threads_beside, Double, beside, In(double, n), InOut(double, n))
