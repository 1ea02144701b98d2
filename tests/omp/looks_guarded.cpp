// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What whoever comes first makes, behind a lock that a guard takes in its constructor, or a member
// function: as in looks_twice.c, one thread has hardly anything else to do. The look may be in a
// function, of an address, a bool in a std::optional, or whether a vector is empty.
// Supports: values that whoever comes first makes behind a guard that is taken only where needed
#include "GradientCheck.h"
#include <cmath>
#include <memory>
#include <mutex>
#include <omp.h>
#include <optional>
#include <vector>

static double toil(double v) {
  for (int k = 0; k < 100000; k++)
    v += 1e-5 * std::sin(v);
  return v;
}
struct Lock {
  omp_lock_t l;
  Lock() { omp_init_lock(&l); }
  ~Lock() { omp_destroy_lock(&l); }
  void lock() { omp_set_lock(&l); }
  void unlock() { omp_unset_lock(&l); }
};
struct OwnedTable {
  const double *x;
  std::unique_ptr<std::vector<double>> p;
  std::mutex m;
  OwnedTable(const double *x) : x(x) {}
  double get(int i) {
    if (!p) {
      std::scoped_lock g(m);
      if (!p) {
        auto q = std::make_unique<std::vector<double>>(3);
        for (int k = 0; k < 3; k++)
          (*q)[k] = x[k] * x[k];
        p = std::move(q);
      }
    }
    return (*p)[i];
  }
};
struct State {
  const double *x;
  enum Kind { None, Done } st = None;
  double v[3];
  Lock l;
  State(const double *x) : x(x) {}
  bool isDone() const { return st == Done; }
  void set() { st = Done; }
  void build() {
    for (int k = 0; k < 3; k++)
      v[k] = std::cos(x[k]);
  }
  void init() {
    std::lock_guard<Lock> g(l);
    if (isDone())
      return;
    build();
    set();
  }
  double get(int i) {
    if (!isDone())
      init();
    return v[i];
  }
};
struct Members {
  const double *x;
  int ready[3] = {0, 0, 0};
  double v[3];
  Lock l;
  Members(const double *x) : x(x) {}
  void lk() { l.lock(); }
  void ul() { l.unlock(); }
  double get(int i) {
    if (ready[i])
      return v[i];
    lk();
    if (!ready[i]) {
      v[i] = std::exp(-x[i]);
      ready[i] = 1;
    }
    ul();
    return v[i];
  }
};
struct Optional {
  const double *x;
  std::optional<double> v[3];
  std::mutex m;
  Optional(const double *x) : x(x) {}
  double get(int i) {
    if (!v[i].has_value()) {
      std::unique_lock<std::mutex> g(m);
      if (!v[i].has_value())
        v[i] = std::exp(-x[i]);
    }
    return *v[i];
  }
};
struct Empty {
  const double *x;
  std::vector<double> v;
  std::mutex m;
  Empty(const double *x) : x(x) {}
  double get(int i) {
    if (v.empty()) {
      std::lock_guard<std::mutex> g(m);
      if (v.empty()) {
        std::vector<double> w(3);
        for (int k = 0; k < 3; k++)
          w[k] = x[k] * x[k];
        v.swap(w);
      }
    }
    return v[i];
  }
};
struct Table {
  virtual double get(int) = 0;
  virtual ~Table() {}
};
struct Virtual : Table {
  const double *x;
  bool done = false;
  double v[3];
  Lock l;
  Virtual(const double *x) : x(x) {}
  double get(int i) override {
    if (!done) {
      std::lock_guard<Lock> g(l);
      if (!done) {
        for (int k = 0; k < 3; k++)
          v[k] = x[k] / (1 + x[k] * x[k]);
        done = true;
      }
    }
    return v[i];
  }
};
struct Generic {
  const double *x;
  bool done = false;
  double v[3];
  Lock l;
  Generic(const double *x) : x(x) {}
  template <class Fn> void once(Fn f) {
    if (!done) {
      std::lock_guard<Lock> g(l);
      if (!done) {
        f();
        done = true;
      }
    }
  }
  double get(int i) {
    once([&] {
      for (int k = 0; k < 3; k++)
        v[k] = x[k] * std::sin(x[k]);
    });
    return v[i];
  }
};
template <class T> static double prog(const double *x, double *y, int n) {
  double s = 0;
  T t(x);
#pragma omp parallel num_threads(2) reduction(+ : s)
  {
    if (omp_get_thread_num() == 0)
      s += t.get(0) * x[3];
    else {
      const double late = toil(x[2]);
      s += t.get(1) * late;
      s += toil(t.get(2) * x[4]);
    }
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] *= t.get(i % 3);
  }
  return s;
}
#define FIRST_COMES(K)                                                                             \
  static double first##K(const double *x, double *y, int n) { return prog<K>(x, y, n); }           \
  GRADIENT_CHECK(guards_##K, Double, first##K, In(double, 6), InOut(double, 6), Int(6))
FIRST_COMES(OwnedTable)
FIRST_COMES(State)
FIRST_COMES(Members)
FIRST_COMES(Optional)
FIRST_COMES(Empty)
FIRST_COMES(Virtual)
FIRST_COMES(Generic)
static double throughTable(Table *v, const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel num_threads(2) reduction(+ : s)
  {
    if (omp_get_thread_num() == 0)
      s += v->get(0) * x[3];
    else {
      const double late = toil(x[2]);
      s += v->get(1) * late;
      s += toil(v->get(2) * x[4]);
    }
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] *= v->get(i % 3);
  }
  return s;
}
static double chosenLater(const double *x, double *y, int n) {
  std::unique_ptr<Table> v(new Virtual(x));
  return throughTable(v.get(), x, y, n);
}
GRADIENT_CHECK(guards_chosenLater, Double, chosenLater, In(double, 6), InOut(double, 6), Int(6))
