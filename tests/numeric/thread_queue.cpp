// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Condition variables: a queue between a producer and a consumer, a pool of workers that take jobs
// from a queue, barriers made of mutex and condition variable, waiting for some time only.
// Supports: `std::condition_variable`, a pool of threads, `pthread_cond_wait`
#include "GradientCheck.h"
#include <cmath>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <pthread.h>
#include <queue>
#include <thread>
#include <vector>

static double consume(const double *x, int n) {
  std::mutex lock;
  std::condition_variable changed;
  std::queue<double> queue;
  bool done = false;
  double s = 1;
  std::thread consumer([&] {
    for (;;) {
      std::unique_lock<std::mutex> guard(lock);
      changed.wait(guard, [&] { return done || !queue.empty(); });
      if (queue.empty())
        return;
      s = s * queue.front() + x[0];
      queue.pop();
    }
  });
  for (int i = 0; i < n; ++i) {
    {
      std::lock_guard<std::mutex> guard(lock);
      queue.push(std::sin(x[i]));
    }
    changed.notify_one();
  }
  {
    std::lock_guard<std::mutex> guard(lock);
    done = true;
  }
  changed.notify_all();
  consumer.join();
  return s;
}

GRADIENT_CHECK(thread_consumer, Double, consume, In(double, 5), Int(5))

class Pool {
public:
  explicit Pool(int n) {
    for (int i = 0; i < n; ++i)
      workers.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> guard(lock);
      closed = true;
    }
    changed.notify_all();
    for (std::thread &t : workers)
      t.join();
  }
  void run(std::function<void()> job) {
    {
      std::lock_guard<std::mutex> guard(lock);
      jobs.push_back(std::move(job));
    }
    changed.notify_one();
  }

private:
  void work() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [this] { return closed || !jobs.empty(); });
        if (jobs.empty())
          return;
        job = std::move(jobs.back());
        jobs.pop_back();
      }
      job();
    }
  }
  std::mutex lock;
  std::condition_variable changed;
  std::vector<std::function<void()>> jobs;
  std::vector<std::thread> workers;
  bool closed = false;
};

static double pooled(const double *x, double *y, int n) {
  {
    Pool pool(2);
    for (int i = 0; i < n; ++i)
      pool.run([=] { y[i] = x[i] * std::exp(x[n - 1 - i]); });
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += y[i] * y[i];
  return s;
}

GRADIENT_CHECK(thread_jobs, Double, pooled, In(double, 5), Out(double, 5), Int(5))

/// Two threads that hand a number to and fro.
struct Table {
  pthread_mutex_t lock;
  pthread_cond_t turned;
  int turn;
  double ball;
  const double *x;
};

static void *play(void *argument) {
  auto *table = static_cast<Table *>(argument);
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&table->lock);
    while (table->turn != 1)
      pthread_cond_wait(&table->turned, &table->lock);
    table->ball *= table->x[i];
    table->turn = 0;
    pthread_cond_signal(&table->turned);
    pthread_mutex_unlock(&table->lock);
  }
  return nullptr;
}

static double game(const double *x) {
  Table table = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, x[0], x};
  pthread_t other;
  pthread_create(&other, nullptr, play, &table);
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&table.lock);
    while (table.turn != 0)
      pthread_cond_wait(&table.turned, &table.lock);
    table.ball += x[i] * x[i];
    table.turn = 1;
    pthread_cond_signal(&table.turned);
    pthread_mutex_unlock(&table.lock);
  }
  pthread_join(other, nullptr);
  return table.ball;
}

GRADIENT_CHECK(thread_turns, Double, game, In(double, 3))
