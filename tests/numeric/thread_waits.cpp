// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that wait for each other, which take turns in a derivative: latches, barriers,
// semaphores, flags that are asked again and again, threads that are joined when they go.
// Supports: `std::jthread`, `std::stop_token`, `std::latch`, `std::barrier`,
// `std::counting_semaphore`, `std::atomic::wait`
#include "GradientCheck.h"
#include <atomic>
#include <barrier>
#include <cmath>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

static double joined(const double *x, double *y, int n) {
  {
    std::jthread first([=] {
      for (int i = 0; i < n / 2; ++i)
        y[i] = std::sin(x[i]) * x[0];
    });
    std::jthread second([=](std::stop_token stop) {
      for (int i = n / 2; i < n && !stop.stop_requested(); ++i)
        y[i] = x[i] * x[i];
    });
    second.join();
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += y[i] * y[n - 1 - i];
  return s;
}

GRADIENT_CHECK(thread_jthread, Double, joined, In(double, 6), Out(double, 6), Int(6))

static double latched(const double *x, double *y, int n) {
  std::latch ready(2);
  double scale = 0, shift = 0;
  std::thread worker([&] {
    ready.wait();
    for (int i = 0; i < n; ++i)
      y[i] = x[i] * scale + shift;
  });
  scale = std::exp(x[0]);
  ready.count_down();
  shift = scale * x[1];
  ready.count_down();
  worker.join();
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += y[i] * y[i];
  return s;
}

GRADIENT_CHECK(thread_latch, Double, latched, In(double, 5), Out(double, 5), Int(5))

/// Threads are made again for each direction.
static double latched_alone(const double *x) {
  double y[5];
  return latched(x, y, 5);
}
static double latched_primal(void *const *v) { return latched_alone((double *)v[0]); }
static double latched_tangent(void *const *v, void *const *d) {
  return __enzyme_fwddiff<double>((void *)latched_alone, enzyme_dup, (double *)v[0],
                                  (double *)d[0]);
}
static void latched_adjoint(void *const *v, void *const *d) {
  double *x = (double *)v[0], *bar = (double *)d[0], first[5] = {}, second[5] = {};
  __enzyme_autodiff<void>((void *)latched_alone, enzyme_width, 2, enzyme_dup, x, first, second);
  for (int i = 0; i < 5; ++i)
    bar[i] += first[i] == second[i] ? first[i] : NAN;
}

GRADIENT_CHECK_CUSTOM(thread_directions, Double, latched_primal, latched_tangent, latched_adjoint,
                      In(double, 5))

/// Jacobi's iteration: all threads read what all have written in the step before.
static double stencil(double *u, double *v, int n, int steps) {
  constexpr int Threads = 3;
  std::barrier step(Threads);
  std::vector<std::thread> team;
  for (int t = 0; t < Threads; ++t)
    team.emplace_back([=, &step] {
      for (int k = 0; k < steps; ++k) {
        double *from = k % 2 ? v : u, *to = k % 2 ? u : v;
        for (int i = 1 + t; i < n - 1; i += Threads)
          to[i] = 0.5 * from[i] + 0.25 * from[i - 1] * from[i + 1];
        step.arrive_and_wait();
      }
    });
  for (std::thread &t : team)
    t.join();
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += u[i] * v[i] + u[i];
  return s;
}

GRADIENT_CHECK(thread_barrier, Double, stencil, InOut(double, 9), InOut(double, 9), Int(9), Int(4))

/// A buffer of one place between two threads.
static double relay(const double *x, int n) {
  std::counting_semaphore<4> free(1), full(0);
  double place = 0, s = 1;
  std::thread producer([&] {
    for (int i = 0; i < n; ++i) {
      free.acquire();
      place = x[i] * x[i] + place;
      full.release();
    }
  });
  for (int i = 0; i < n; ++i) {
    full.acquire();
    s = s * place + 1;
    free.release();
  }
  producer.join();
  return s;
}

GRADIENT_CHECK(thread_semaphore, Double, relay, In(double, 5), Int(5))

static double flagged(const double *x) {
  std::atomic<int> stage = 0;
  double a = 0, b = 0;
  std::thread other([&] {
    while (stage.load() != 1)
      ;
    b = a * a;
    stage = 2;
    while (stage.load() != 3)
      std::this_thread::yield();
    b *= a;
    stage.store(4);
    stage.notify_all();
  });
  a = x[0] * x[1];
  stage = 1;
  while (stage.load() != 2)
    ;
  a += b * x[2];
  stage = 3;
  stage.wait(3);
  other.join();
  return a * b;
}

GRADIENT_CHECK(thread_flag, Double, flagged, In(double, 3))

// A thread for each of several rounds: the loop that asks lies in another one.
static double rounds(const double *x, int n) {
  std::atomic<int> stage{0};
  double value = 0, sum = 0;
  for (int i = 0; i < n; i++) {
    stage = 0;
    std::thread other([&] {
      while (stage.load() != 1)
        ;
      value = value * x[i];
      stage = 2;
    });
    value = x[i] * x[i] + sum;
    stage = 1;
    while (stage.load() != 2)
      ;
    sum += value;
    other.join();
  }
  return sum;
}
GRADIENT_CHECK(thread_rounds, Double, rounds, In(double, 4), Int(4))
