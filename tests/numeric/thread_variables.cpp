// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread-local variables that other threads or other files may come to, or that have a destructor:
// each thread of the derivative has its own, also while it is reversed.
// Supports: thread-local variables of every kind: with addresses that are handed on, with destructors
#include "GradientCheck.h"
#include <latch>
#include <thread>
#include <vector>

enum { n = 12, Threads = 3 };

thread_local double own = 1;

/// Each thread reads the variable of the next one; the maker has one, too.
static double handed_on(const double *x, double *y) {
  double *where[Threads], got[Threads];
  std::latch known(Threads), read(Threads);
  own = x[5];
  std::vector<std::thread> threads;
  for (int t = 0; t < Threads; ++t)
    threads.emplace_back([&, t] {
      own *= x[t] * x[t];
      where[t] = &own;
      known.arrive_and_wait();
      got[t] = *where[(t + 1) % Threads] * own * y[t];
      read.arrive_and_wait();
    });
  for (std::thread &t : threads)
    t.join();
  double r = own;
  own = 1;
  return got[0] * got[1] + got[2] * r;
}
GRADIENT_CHECK(thread_variable_handed_on, Double, handed_on, In(double, n), InOut(double, n))

struct Room {
  static thread_local std::vector<double> of_thread;
  static thread_local int used;
  static double *take(int count) {
    if (of_thread.empty())
      of_thread.resize(16);
    used += count;
    return &of_thread[used - count];
  }
};
thread_local std::vector<double> Room::of_thread;
thread_local int Room::used = 0;

static double vectors(const double *x, double *y) {
  std::vector<std::thread> threads;
  for (int t = 0; t < Threads; ++t)
    threads.emplace_back([=] {
      double *p = Room::take(4), *q = Room::take(4);
      for (int k = 0; k < 4; ++k) {
        p[k] = x[t * 4 + k] * x[t];
        q[k] = p[k] * p[k];
      }
      for (int k = 0; k < 4; ++k)
        y[t * 4 + k] *= q[3 - k] + p[k];
    });
  for (std::thread &t : threads)
    t.join();
  return y[0] * y[n - 1];
}
GRADIENT_CHECK(thread_variable_vector, Double, vectors, In(double, n), InOut(double, n))

struct Weights {
  double of[4];
  explicit Weights(double first) : of{first, 2 * first, 3 * first, 4 * first} {}
  ~Weights() { of[0] = 0; }
};

static double weighted(const double *x, int k) {
  thread_local Weights weights(0.5 + k);
  thread_local double last = 0;
  last = last * 0.5 + x[k] * weights.of[k % 4];
  return last;
}

/// Of two threads that do not live at the same time, each finds what a new one finds.
static double in_turn(const double *x, double *y) {
  double r = 0;
  for (int round = 0; round < 3; ++round) {
    std::thread t([&] {
      for (int k = round; k < round + 4; ++k)
        r = r * 0.7 + weighted(x, k) * y[round];
    });
    t.join();
  }
  return r;
}
GRADIENT_CHECK(thread_variable_in_turn, Double, in_turn, In(double, n), InOut(double, n))
