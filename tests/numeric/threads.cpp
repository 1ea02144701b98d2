// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of C++ and of POSIX that are made and joined: over pieces of arrays, with a mutex around
// a sum, through globals, one made by another.
// Supports: `std::thread`, `pthread_create`, `thread_local` variables of threads
#include "GradientCheck.h"
#include <cmath>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

static double pieces(const double *x, double *y, double a, int n) {
  std::thread first([=] {
    for (int i = 0; i < n / 2; ++i)
      y[i] = std::sin(x[i]) * a;
  });
  for (int i = n / 2; i < n; ++i)
    y[i] = x[i] * x[i] * a;
  first.join();
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += y[i] * y[n - 1 - i];
  return s;
}

GRADIENT_CHECK(thread_pieces, Double, pieces, In(double, 8), Out(double, 8), Scalar(double), Int(8))

static double pool(double *x, int n) {
  std::vector<std::thread> threads;
  std::mutex lock;
  double s = 0;
  for (int k = 0; k < 3; ++k)
    threads.emplace_back([&, k] {
      double own = 0;
      for (int i = k; i < n; i += 3) {
        x[i] *= std::exp(x[i]);
        own += x[i];
      }
      std::lock_guard<std::mutex> guard(lock);
      s += own * own;
    });
  for (std::thread &t : threads)
    t.join();
  return s;
}

GRADIENT_CHECK(thread_pool, Double, pool, InOut(double, 7), Int(7))

struct Job {
  const double *x;
  double *y;
  int n;
};

static void *inner(void *argument) {
  auto *job = static_cast<Job *>(argument);
  for (int i = 0; i < job->n; ++i)
    job->y[i] += job->x[i] * job->x[i];
  return nullptr;
}

static void *outer(void *argument) {
  auto *job = static_cast<Job *>(argument);
  pthread_t thread;
  job->y[0] += job->x[1];
  pthread_create(&thread, nullptr, inner, job);
  pthread_join(thread, nullptr);
  return nullptr;
}

static double nested(const double *x, double *y, int n) {
  pthread_t threads[2];
  Job jobs[2];
  for (int k = 0; k < 2; ++k) {
    jobs[k] = {x + k * n / 2, y + k * n / 2, n / 2};
    pthread_create(&threads[k], nullptr, k ? inner : outer, &jobs[k]);
  }
  double s = 0;
  for (int k = 0; k < 2; ++k)
    pthread_join(threads[k], nullptr);
  for (int i = 0; i < n; ++i)
    s += y[i] * y[i];
  return s;
}

GRADIENT_CHECK(thread_posix, Double, nested, In(double, 6), InOut(double, 6), Int(6))

static const double *input;
static double output[4];

static void *throughGlobals(void *) {
  for (int i = 0; i < 4; ++i)
    output[i] = input[i] * input[3 - i];
  return nullptr;
}

static double globals(const double *x) {
  input = x;
  pthread_t thread;
  pthread_create(&thread, nullptr, throughGlobals, nullptr);
  pthread_join(thread, nullptr);
  return output[0] * output[1] + output[2];
}

GRADIENT_CHECK(thread_globals, Double, globals, In(double, 4))

/// Variables that every thread has for itself: each finds them as they are at first, and leaves
/// those of its maker alone.
static thread_local double own_sum = 1;
static thread_local double own_rows[2][8];
static thread_local double *own_place;

static void fill(double *to, const double *x, int n, double by) {
  for (int i = 0; i < n; ++i)
    to[i] += x[i] * by;
}
static double own(const double *x, double *y, int n) {
  double total[3], s = 0;
  own_sum = x[1];
  fill(own_rows[1], x, n, 0.5);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      own_sum *= x[t] * 2;
      fill(own_rows[t % 2], x, n, own_sum);
      std::thread inner([&, t] { y[t] = own_sum += x[t]; });
      inner.join();
      total[t] = 0;
      own_place = &total[t];
      for (int i = 0; i < n; ++i)
        *own_place += own_rows[0][i] * own_rows[0][i] + own_rows[1][i];
      total[t] *= own_sum;
    });
  for (std::thread &t : threads)
    t.join();
  for (int i = 0; i < n; ++i) {
    if (i >= 3)
      y[i] = own_rows[1][i] * own_sum;
    s += own_rows[1][i] * x[0];
    own_rows[1][i] = 0;
  }
  return s + own_sum * total[0] + total[1] * total[2];
}
GRADIENT_CHECK(thread_own, Double, own, In(double, 6), Out(double, 6), Int(6))
