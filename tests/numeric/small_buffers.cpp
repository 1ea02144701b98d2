// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function objects of the program's own that keep small callables in a buffer of bytes, with a
// table of functions that move, call and destroy them: what is a number in one is an integer in
// another.
// Supports: callables in buffers of bytes
#include "GradientCheck.h"
#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace {

template <class Callable> struct Held {
  static double call(void *at, double v) { return (*static_cast<Callable *>(at))(v); }
  static void move(void *to, void *from) {
    auto *old = static_cast<Callable *>(from);
    new (to) Callable(std::move(*old));
    old->~Callable();
  }
  static void destroy(void *at) { static_cast<Callable *>(at)->~Callable(); }
};

class Task {
public:
  template <class Callable> Task(Callable callable) : table(&tableOf<Callable>) {
    static_assert(sizeof(Callable) <= sizeof buffer);
    new (buffer) Callable(std::move(callable));
  }
  Task(Task &&other) noexcept : table(std::exchange(other.table, nullptr)) {
    if (table)
      table->move(buffer, other.buffer);
  }
  Task &operator=(Task &&other) noexcept {
    if (table)
      table->destroy(buffer);
    table = std::exchange(other.table, nullptr);
    if (table)
      table->move(buffer, other.buffer);
    return *this;
  }
  ~Task() {
    if (table)
      table->destroy(buffer);
  }
  double operator()(double v) { return table->call(buffer, v); }

private:
  struct Table {
    double (*call)(void *, double);
    void (*move)(void *, void *);
    void (*destroy)(void *);
  };
  template <class Callable>
  static constexpr Table tableOf{Held<Callable>::call, Held<Callable>::move,
                                 Held<Callable>::destroy};

  alignas(16) unsigned char buffer[32];
  const Table *table;
};

/// An integer where others have a number.
struct Weights {
  std::unique_ptr<double[]> all;
  int count;
  double operator()(double v) {
    double s = 0;
    for (int i = 0; i < count; ++i) {
      s += all[i] * std::pow(v, i);
      all[i] *= 0.9;
    }
    return s;
  }
};

double run(std::vector<Task> &tasks, double v) {
  double sum = 0;
  for (int t = 0; t < 3; ++t)
    for (Task &task : tasks) {
      v = std::tanh(task(v));
      sum += v * v;
    }
  return sum;
}

double swapped(const double *x, int n) {
  double total = 0;
  std::vector<Task> tasks;
  tasks.emplace_back([a = x[0]](double v) { return a * v; });
  auto all = std::make_unique<double[]>(n);
  for (int i = 0; i < n; ++i)
    all[i] = x[i + 2];
  tasks.emplace_back(Weights{std::move(all), n});
  tasks.emplace_back([&total, k = x[1], calls = 0](double v) mutable {
    total += k * v * ++calls;
    return v - 0.1 * total;
  });
  std::swap(tasks[0], tasks[2]);
  std::rotate(tasks.begin(), tasks.begin() + 2, tasks.end());
  return run(tasks, 0.5) + total;
}

/// The integer behind the number, and numbers of half the size.
struct Step {
  double *sum;
  float scale;
  int every;
  double operator()(double v) {
    if (every > 1)
      *sum += scale * v;
    return v * (1 + 0.1 * scale);
  }
};

double halves(const double *x, int n) {
  double sum = 0;
  std::vector<Task> tasks;
  for (int i = 0; i < n; ++i)
    if (i % 2)
      tasks.emplace_back([&sum, k = x[i]](double v) { return sum += k * v; });
    else
      tasks.emplace_back(Step{&sum, 0.5F, i + 1});
  Task last = std::move(tasks[0]);
  tasks[0] = std::move(tasks[1]);
  tasks[1] = std::move(last);
  return run(tasks, x[0]) + sum;
}

} // namespace

GRADIENT_CHECK(small_buffers_swapped, Double, swapped, In(double, 5), Int(3))
GRADIENT_CHECK(small_buffers_halves, Double, halves, In(double, 4), Int(4))
