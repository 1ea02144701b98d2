// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that threads promise: std::promise, and std::packaged_task run by a thread.
// Supports: `std::promise`, `std::future`, `std::packaged_task`
#include "GradientCheck.h"
#include <future>
#include <thread>

static double promise(const double *x) {
  std::promise<double> p;
  std::future<double> f = p.get_future();
  std::thread t([&p, x] { p.set_value(x[0] * x[1]); });
  double s = x[2] * f.get();
  t.join();
  return s;
}

GRADIENT_CHECK(future_promise, Double, promise, In(double, 4))

static double packaged(const double *x) {
  std::packaged_task<double(double)> t([=](double v) { return v * x[1] + x[0]; });
  auto f = t.get_future();
  std::thread th(std::move(t), x[2]);
  th.join();
  return f.get() * x[3];
}

GRADIENT_CHECK(future_packaged, Double, packaged, In(double, 4))

/// The handler stays quiet: an exception that comes through a future has no derivative.
static double quiet(const double *x, int n) {
  auto late = std::async(std::launch::async, [&]() -> double {
    if (n > 30)
      throw x[0] * 3;
    return x[1] * x[2];
  });
  double r;
  try {
    r = late.get();
  } catch (double caught) {
    r = caught * x[2];
  }
  return r * x[3];
}
GRADIENT_CHECK(future_quiet, Double, quiet, In(double, 7), Int(7))
