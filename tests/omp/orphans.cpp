// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worksharing and tasks in functions that stay calls: chosen at run time, virtual, recursive,
// called from inside and outside of regions.
// Supports: orphaned constructs behind pointers to functions, virtual methods and `std::function`
#include "GradientCheck.h"
#include <cmath>
#include <functional>
#include <memory>
#include <omp.h>
#include <vector>

// through a pointer to a function
static void twice(const double *x, double *y, int n) {
#pragma omp for nowait
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
#pragma omp barrier
}
static void sines(const double *x, double *y, int n) {
#pragma omp for schedule(dynamic, 2)
  for (int i = 0; i < n; i++)
    y[i] = std::sin(x[i]) * x[n - 1 - i];
}
using step = void (*)(const double *, double *, int);
static step volatile choices[2] = {twice, sines};
static double chosen(const double *x, double *y, int n) {
  std::vector<double> t(n);
  step f = choices[0], g = choices[1];
#pragma omp parallel
  {
    f(x, t.data(), n);
    g(t.data(), y, n);
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += y[i] * t[i];
  return s;
}
GRADIENT_CHECK(orph_chosen, Double, chosen, In(double, 13), Out(double, 13), Int(13))

struct Shape {
  virtual ~Shape() = default;
  virtual void work(const double *x, double *y, int n) const = 0;
  virtual double energy(const double *y, int n) const {
    static double sum; // shared by the team
#pragma omp single
    sum = 0;
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < n; i++)
      sum += y[i] * y[i];
    return sum;
  }
};
struct Scale : Shape {
  double by;
  explicit Scale(double b) : by(b) {}
  __attribute__((noinline)) void work(const double *x, double *y, int n) const override {
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = x[i] * by;
  }
};
struct Blur : Shape {
  double w[3];
  explicit Blur(const double *x) : w{x[0], x[1], x[2]} {}
  void work(const double *x, double *y, int n) const override {
#pragma omp for schedule(guided)
    for (int i = 0; i < n; i++)
      y[i] = w[0] * x[i] + w[1] * x[(i + 1) % n] + w[2] * x[(i + n - 1) % n];
#pragma omp single
    y[0] *= w[0];
  }
};
static double virtuals(const double *x, double *y, int n) {
  std::vector<std::unique_ptr<Shape>> all;
  all.push_back(std::make_unique<Scale>(x[3]));
  all.push_back(std::make_unique<Blur>(x));
  all.push_back(std::make_unique<Scale>(x[4]));
  std::vector<double> a(x, x + n), b(n);
  double e = 0;
#pragma omp parallel
  {
    double *from = a.data(), *to = b.data();
    for (auto &s : all) {
      s->work(from, to, n);
      std::swap(from, to);
    }
    double mine = all[0]->energy(from, n);
#pragma omp single
    {
      e = mine;
      for (int i = 0; i < n; i++)
        y[i] = from[i];
    }
  }
  return e;
}
GRADIENT_CHECK(orph_virtuals, Double, virtuals, In(double, 13), Out(double, 13), Int(13))

static double functions(const double *x, double *y, int n) {
  std::vector<std::function<void(int)>> jobs;
  double a = x[0];
  jobs.push_back([&, a](int) {
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = x[i] * a;
  });
  jobs.push_back([&](int k) {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < n; i++)
      y[i] *= x[k] + 1;
  });
#pragma omp parallel
  for (int k = 0; k < 4; k++)
    jobs[k % 2](k);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += y[i];
  return s;
}
GRADIENT_CHECK(orph_functions, Double, functions, In(double, 13), Out(double, 13), Int(13))

// deep recursion with reductions and copyprivate inside
__attribute__((noinline)) static double descend(const double *x, double *y, int n, int depth) {
  if (depth == 0)
    return x[0];
  double part = 0, t;
  static double shared;
#pragma omp for schedule(dynamic)
  for (int i = 0; i < n; i++)
    y[i] = y[i] * 0.5 + x[i] * depth;
#pragma omp single
  shared = 0;
#pragma omp for nowait
  for (int i = 0; i < n; i++)
    part += y[i] * x[i];
#pragma omp atomic
  shared += part;
#pragma omp barrier
#pragma omp single copyprivate(t)
  t = shared * 0.1;
  return t + std::sin(descend(x, y, n, depth - 1));
}
static double recursive(const double *x, double *y, int n) {
  double r = 0;
  for (int i = 0; i < n; i++)
    y[i] = x[n - 1 - i];
#pragma omp parallel
  {
    double mine = descend(x, y, n, 3);
#pragma omp masked
    r = mine;
  }
  return r;
}
GRADIENT_CHECK(orph_recursive, Double, recursive, In(double, 13), Out(double, 13), Int(13))

// worksharing in a function called from both inside and outside of regions
__attribute__((noinline)) static double fill(const double *x, double *y, int n) {
  double s = 0;
#pragma omp for
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i] + y[i] * 0.3;
#pragma omp for
  for (int i = 0; i < n; i++)
    s += y[i];
#pragma omp sections
  {
#pragma omp section
    y[0] *= x[1];
#pragma omp section
    y[1] *= x[0];
  }
  return s;
}
static double both(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++)
    y[i] = 0;
  double s = fill(x, y, n);
#pragma omp parallel reduction(+ : s) num_threads(3)
  s += fill(x, y, n);
#pragma omp parallel reduction(+ : s)
  for (int k = 0; k < 2; k++)
    s += fill(x, y, n);
  s += fill(x, y, n);
  return s;
}
GRADIENT_CHECK(orph_both, Double, both, In(double, 13), Out(double, 13), Int(13))

// mutual recursion, tasks in functions that stay calls
static double odd(const double *x, int n);
__attribute__((noinline)) static double even(const double *x, int n) {
  if (n == 0)
    return 1;
  double r;
#pragma omp task shared(r) firstprivate(x, n)
  r = odd(x, n - 1);
#pragma omp taskwait
  return r * x[n];
}
__attribute__((noinline)) static double odd(const double *x, int n) {
  if (n == 0)
    return x[0];
  double r = 0, q = 0;
#pragma omp taskgroup
  {
#pragma omp task shared(r)
    r = even(x, n - 1);
#pragma omp task shared(q) if (n > 4)
    q = std::sin(x[n]);
  }
  return r + q;
}
static double mutual(const double *x, double *y, int n) {
  double r = 0;
#pragma omp parallel
#pragma omp single nowait
  r = even(x, n - 1);
  for (int i = 0; i < n; i++)
    y[i] = x[i] * r;
  return r;
}
GRADIENT_CHECK(orph_mutual, Double, mutual, In(double, 9), Out(double, 9), Int(9))
