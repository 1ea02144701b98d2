// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutexes of the threads' library in teams: inside objects, nested, two at once, tried again and
// again, in tasks. The factors commute.
// Supports: `std::mutex`, `pthread_mutex_t` and spin locks in teams
#include "GradientCheck.h"
#include <cmath>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <vector>
class Product {
  mutable std::mutex m;
  double p = 1, q = 0;

public:
  void add(double v) {
    std::lock_guard<std::mutex> g(m);
    p *= v;
    q += v * v;
  }
  double get() const {
    std::unique_lock<std::mutex> g(m);
    return p * q;
  }
};
static double product(const double *x, int n) {
  Product a;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    a.add(std::sin(x[i]) + 2);
  return a.get();
}
GRADIENT_CHECK_BOUND(1e-10, mutex_product, Double, product, In(double, 9), Int(9))
static double local(const double *x, int n) {
  std::mutex m;
  double s = 1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    m.lock();
    s = s * x[i];
    m.unlock();
  }
  return s;
}
GRADIENT_CHECK_BOUND(1e-10, mutex_local, Double, local, In(double, 9), Int(9))
struct Rec {
  std::recursive_mutex m;
  double v = 1;
  void two(double a) {
    std::lock_guard<std::recursive_mutex> g(m);
    v *= a;
  }
  void one(double a) {
    std::lock_guard<std::recursive_mutex> g(m);
    v *= a + 1;
    two(a);
    v *= a;
  }
};
static double rec(const double *x, int n) {
  auto r = std::make_unique<Rec>();
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    r->one(x[i]);
  return r->v;
}
GRADIENT_CHECK_BOUND(1e-10, mutex_rec, Double, rec, In(double, 7), Int(7))
struct Acct {
  std::mutex m;
  double b = 1;
};
static double scoped(const double *x, int n) {
  std::vector<Acct> a(3);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Acct &p = a[i % 3], &q = a[(i + 1) % 3];
    std::scoped_lock l(p.m, q.m);
    p.b *= x[i] + 1;
    q.b *= x[i] * x[0];
  }
  return a[0].b * a[1].b * a[2].b;
}
GRADIENT_CHECK_BOUND(1e-10, mutex_scoped, Double, scoped, In(double, 8), Int(8))
struct Locks {
  pthread_mutex_t m;
  pthread_spinlock_t s;
  double a, b;
};
static double posix(const double *x, int n) {
  Locks c;
  pthread_mutex_init(&c.m, nullptr);
  pthread_spin_init(&c.s, 0);
  c.a = c.b = 1;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    pthread_spin_lock(&c.s);
    c.b *= x[i];
    pthread_spin_unlock(&c.s);
    while (pthread_mutex_trylock(&c.m))
      ;
    c.a *= x[i] * x[1];
    pthread_mutex_unlock(&c.m);
  }
  pthread_mutex_destroy(&c.m);
  pthread_spin_destroy(&c.s);
  return c.a * c.b;
}
GRADIENT_CHECK_BOUND(1e-10, mutex_posix, Double, posix, In(double, 8), Int(8))
static std::mutex guard;
static double tasks(double *x, int n) {
  double s = 1;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i)
#pragma omp task firstprivate(i)
  {
    double v = x[i] * x[i];
    std::lock_guard<std::mutex> l(guard);
    s *= v;
    x[i] = v * 2;
  }
  return s;
}
GRADIENT_CHECK_BOUND(1e-10, mutex_tasks, Double, tasks, InOut(double, 6), Int(6))
// The lock lies in a function of some size that does nothing else with numbers.
struct Counted {
  std::mutex m;
  long entered[4] = {};
  int last = -1;
};
[[gnu::noinline]] static void enter(Counted &c, int i) {
  c.m.lock();
  c.entered[i & 3] += 1;
  c.entered[(i + 1) & 3] += c.last == i ? 2 : 1;
  c.last = i;
  if (c.entered[0] > 1000)
    c.entered[0] = 0;
  if (c.entered[1] > 1000)
    c.entered[1] = 0;
}
static double apart(const double *x, int n) {
  Counted c;
  double s = 1;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    enter(c, i);
    s = s * x[i];
    c.m.unlock();
  }
  return s;
}
GRADIENT_CHECK_BOUND(1e-10, mutex_apart, Double, apart, In(double, 9), Int(9))
