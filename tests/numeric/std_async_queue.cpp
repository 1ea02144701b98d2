// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Futures beside a queue of two threads: what a future waits for is run once, by functions of the
// library without parameters, which are not inlined in a file of several such programs.
#include "GradientCheck.h"
#include <cmath>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

static double futures(const double *x, int n) {
  std::vector<std::future<double>> parts;
  for (int first = 0; first < 3; ++first)
    parts.push_back(std::async(std::launch::async, [x, n, first] {
      double sum = 0;
      for (int i = first; i < n; i += 3)
        sum += std::exp(x[i]);
      return sum;
    }));
  double product = 1;
  for (auto &part : parts)
    product *= part.get();
  return product;
}

GRADIENT_CHECK(async_queue_futures, Double, futures, In(double, 6), Int(6))

static double handed(const double *x, int n) {
  std::mutex lock;
  std::condition_variable changed;
  std::deque<double> queue;
  bool done = false;
  double sum = 0;
  std::thread producer([&] {
    for (int i = 0; i < n; ++i) {
      std::lock_guard guard(lock);
      queue.push_back(x[i] * x[i]);
      changed.notify_one();
    }
    {
      std::lock_guard guard(lock);
      done = true;
    }
    changed.notify_one();
  });
  std::thread consumer([&] {
    for (;;) {
      std::unique_lock guard(lock);
      changed.wait(guard, [&] { return done || !queue.empty(); });
      while (!queue.empty()) {
        sum += std::sin(queue.front());
        queue.pop_front();
      }
      if (done)
        break;
    }
  });
  producer.join();
  consumer.join();
  return sum;
}

GRADIENT_CHECK(async_queue_handed, Double, handed, In(double, 6), Int(6))
