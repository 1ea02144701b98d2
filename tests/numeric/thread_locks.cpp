// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks inside the objects that they guard: mutexes of every kind, spin locks, those of POSIX, and
// two at once.
// Supports: `std::mutex` and other locks beside what they guard
#include "GradientCheck.h"
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <thread>
#include <vector>
class Accumulator {
  mutable std::mutex m;
  double sum = 0;

public:
  void add(double v) {
    std::lock_guard<std::mutex> g(m);
    sum += v;
  }
  double get() const {
    std::unique_lock<std::mutex> g(m);
    return sum;
  }
};
static double acc(const double *x, int n) {
  Accumulator a;
  std::vector<std::thread> t;
  for (int k = 0; k < 3; ++k)
    t.emplace_back([&, k] {
      for (int i = k; i < n; i += 3)
        a.add(std::sin(x[i]) * x[i]);
    });
  for (auto &q : t)
    q.join();
  return a.get() * a.get();
}
GRADIENT_CHECK(locks_acc, Double, acc, In(double, 7), Int(7))
struct Shared {
  std::shared_mutex m;
  double v[4] = {1, 1, 1, 1};
  double read(int i) {
    std::shared_lock l(m);
    return v[i];
  }
  void write(int i, double w) {
    std::unique_lock l(m);
    v[i] *= w;
  }
};
static double shared(const double *x, int n) {
  auto s = std::make_unique<Shared>();
  for (int i = 0; i < n; ++i)
    s->write(i % 4, x[i]);
  double r = 0;
  for (int i = 0; i < 4; ++i)
    r += s->read(i) * s->read((i + 1) % 4);
  return r;
}
GRADIENT_CHECK(locks_shared, Double, shared, In(double, 6), Int(6))
struct Rec {
  std::recursive_mutex m;
  double v = 1;
  double go(const double *x, int n) {
    std::lock_guard<std::recursive_mutex> l(m);
    if (n == 0)
      return v;
    v *= x[n - 1];
    return go(x, n - 1) + v;
  }
};
static double rec(const double *x, int n) {
  Rec r;
  return r.go(x, n);
}
GRADIENT_CHECK(locks_rec, Double, rec, In(double, 4), Int(4))
struct Acct {
  std::mutex m;
  double b;
  Acct(double x) : b(x) {}
};
static void transfer(Acct &a, Acct &b, double f) {
  std::scoped_lock l(a.m, b.m);
  double d = a.b * f;
  a.b -= d;
  b.b += d;
}
static double bank(const double *x, int n) {
  Acct a(x[0]), b(x[1]);
  std::thread t([&] {
    for (int i = 2; i < n; ++i)
      transfer(a, b, x[i]);
  });
  t.join();
  transfer(b, a, x[0]);
  return a.b * b.b;
}
GRADIENT_CHECK(locks_bank, Double, bank, In(double, 5), Int(5))
struct Spin {
  std::atomic_flag f = ATOMIC_FLAG_INIT;
  double s = 0;
  void add(double v) {
    while (f.test_and_set(std::memory_order_acquire))
      ;
    s += v * s + v;
    f.clear(std::memory_order_release);
  }
};
static double spin(const double *x, int n) {
  Spin s;
  std::vector<std::thread> t;
  for (int k = 0; k < 2; ++k)
    t.emplace_back([&, k] {
      for (int i = k; i < n; i += 2)
        s.add(x[i]);
    });
  for (auto &q : t)
    q.join();
  return s.s;
}
GRADIENT_CHECK(locks_spin, Double, spin, In(double, 5), Int(5))
struct CLock {
  pthread_mutex_t m;
  pthread_spinlock_t sp;
  pthread_rwlock_t rw;
  double a, b;
};
static double clocks(const double *x, int n) {
  CLock c;
  pthread_mutex_init(&c.m, nullptr);
  pthread_spin_init(&c.sp, 0);
  pthread_rwlock_init(&c.rw, nullptr);
  c.a = 1;
  c.b = 0;
  for (int i = 0; i < n; ++i) {
    if (pthread_mutex_trylock(&c.m) == 0) {
      c.a *= x[i];
      pthread_mutex_unlock(&c.m);
    }
    pthread_spin_lock(&c.sp);
    c.b += c.a * x[i];
    pthread_spin_unlock(&c.sp);
    pthread_rwlock_wrlock(&c.rw);
    c.b += c.a * c.b;
    pthread_rwlock_unlock(&c.rw);
    pthread_rwlock_rdlock(&c.rw);
    c.a += c.b;
    pthread_rwlock_unlock(&c.rw);
  }
  double r = c.a + c.b;
  pthread_mutex_destroy(&c.m);
  pthread_spin_destroy(&c.sp);
  pthread_rwlock_destroy(&c.rw);
  return r;
}
GRADIENT_CHECK(locks_clocks, Double, clocks, In(double, 4), Int(4))
class Table {
  std::timed_mutex m;
  std::vector<double> v;

public:
  bool put(double x) {
    if (!m.try_lock())
      return false;
    v.push_back(x * x);
    m.unlock();
    return true;
  }
  double sum() {
    std::lock_guard g(m);
    double s = 1;
    for (double d : v)
      s *= d;
    return s;
  }
};
static double table(const double *x, int n) {
  auto t = std::make_shared<Table>();
  for (int i = 0; i < n; ++i)
    if (!t->put(x[i]))
      return -1;
  return t->sum();
}
GRADIENT_CHECK(locks_table, Double, table, In(double, 4), Int(4))
