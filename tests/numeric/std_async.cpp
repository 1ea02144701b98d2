// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work given away and fetched with std::async: pieces, and a vector that comes back.
// Supports: `std::async`
#include "GradientCheck.h"
#include <cmath>
#include <future>
#include <numeric>
#include <vector>

static double voids(double *x, int n) {
  std::vector<std::future<void>> w;
  for (int k = 0; k < 2; ++k)
    w.push_back(std::async(std::launch::async, [=] {
      for (int i = k; i < n; i += 2)
        x[i] *= x[i];
    }));
  for (auto &f : w)
    f.wait();
  for (auto &f : w)
    f.get();
  double s = 1;
  for (int i = 0; i < n; ++i)
    s *= x[i];
  return s;
}

GRADIENT_CHECK(async_voids, Double, voids, InOut(double, 5), Int(5))

static double vec(const double *x, int n) {
  auto f = std::async(std::launch::async, [=] {
    std::vector<double> y(x, x + n);
    for (double &v : y)
      v = std::exp(v);
    return y;
  });
  std::vector<double> z = f.get();
  return std::inner_product(z.begin(), z.end(), x, 0.0);
}

GRADIENT_CHECK(async_vec, Double, vec, In(double, 4), Int(4))
