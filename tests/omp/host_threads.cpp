// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of C++, futures and `call_once` in files that have parallel regions as well.
// Supports: `std::thread`, `std::async` and `std::call_once` beside and in regions
#include "GradientCheck.h"
#include <atomic>
#include <cmath>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

// An update by comparing and exchanging waits for nobody, and a loop that reads an atomic number
// does not wait for it.
static void add(std::atomic<double> &to, double v) {
  double was = to.load(std::memory_order_relaxed);
  while (!to.compare_exchange_weak(was, was + v))
    ;
}
static void raise(std::atomic<double> &to, double v) {
  double was = to.load();
  while (was < v && !to.compare_exchange_strong(was, v))
    ;
}
static double exchanged(const double *x, int n) {
  std::atomic<double> sum{0}, most{-1};
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; k++)
    threads.emplace_back([&, k] {
      for (int i = k; i < n; i += 3)
        add(sum, std::sin(x[i]));
    });
  for (std::thread &t : threads)
    t.join();
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    raise(most, x[i] * x[i]);
    s += x[i] * sum.load();
  }
  return s * most;
}
GRADIENT_CHECK(threads_exchange, Double, exchanged, In(double, 9), Int(9))

static double cubes(const double *x, int low, int high) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = low; i < high; i++)
    s += x[i] * x[i] * x[i];
  return s;
}
static double futures(const double *x, int n) {
  std::future<double> half = std::async(std::launch::async, cubes, x, 0, n / 2);
  double s = cubes(x, n / 2, n);
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    std::future<double> part = std::async([=] { return std::sin(x[i]); });
    const double c = std::cos(x[i]);
    s += part.get() * c;
  }
  return half.get() * s;
}
GRADIENT_CHECK(threads_futures, Double, futures, In(double, 9), Int(9))

// Whichever thread comes first makes the table; the others wait for it.
struct Table {
  const double *x;
  int n;
  std::once_flag made;
  std::vector<double> values;
  double norm = 0;
  void make() {
    values.resize(n);
    for (int i = 0; i < n; i++)
      values[i] = x[i] * x[i];
    norm = std::sqrt(cubes(x, 0, n));
  }
  double at(int i) {
    std::call_once(made, &Table::make, this);
    return values[i] / norm;
  }
};
static double lazily(const double *x, double *y, int n) {
  Table table{x, n, {}, {}};
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    y[i] = table.at(i);
    s += y[i] * x[n - 1 - i];
  }
  return s;
}
GRADIENT_CHECK(threads_once, Double, lazily, In(double, 9), Out(double, 9), Int(9))

// The function fails the first time: the next thread, or the same one, runs it again.
struct Stubborn {
  std::once_flag done;
  int tries = 0;
  double scale = 0;
  void prepare(const double *x) {
    if (tries++ == 0)
      throw tries;
    scale = x[0] * x[1];
  }
  double get(const double *x) {
    for (;;)
      try {
        std::call_once(done, &Stubborn::prepare, this, x);
        return scale;
      } catch (int) {
      }
  }
};
static double again(const double *x, int n) {
  Stubborn stubborn;
  double s = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += stubborn.get(x) * x[i] * x[i];
  return s;
}
GRADIENT_CHECK(threads_once_again, Double, again, In(double, 9), Int(9))
