// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic floats on one thread: updates, exchanges that try until they work, references.
// Supports: `std::atomic` and `atomic_ref` of floats, `_Atomic double`
#include "GradientCheck.h"
#include <atomic>
#include <cmath>

static double updates(const double *x, int n) {
  std::atomic<double> a = 0;
  for (int i = 0; i < n; i++)
    a.fetch_add(x[i] * x[i]);
  for (int i = 0; i < n; i++)
    a += x[i] * a.load();
  a.store(a * x[0]);
  double old = a.exchange(x[1]);
  std::atomic_ref<double> reference(old);
  reference.fetch_sub(x[2]);
  reference += x[3];
  return a * old + a;
}

// The second exchange finds another value than it expects.
static float exchanges(const float *x, int n) {
  std::atomic<float> a = x[0];
  float seen = a.load();
  while (!a.compare_exchange_weak(seen, seen * std::sin(seen))) {
  }
  for (int i = 0; i < n; i++) {
    float expected = i % 2 ? x[i] : a.load();
    if (!a.compare_exchange_strong(expected, expected * x[i] + x[0]))
      a = expected * x[i] * 0.5F;
  }
  return a;
}

GRADIENT_CHECK(atomic_updates, Double, updates, In(double, 6), Int(6))
GRADIENT_CHECK(atomic_exchanges, Float, exchanges, In(float, 4), Int(4))
