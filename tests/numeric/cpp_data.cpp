// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data structures of C++ programs: containers of objects, comparators, pointers to bases,
// pools, statics, atomics, lambdas, complex functions.
#include "GradientCheck.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

double series(const double *x, int n) {
  std::map<std::string, std::vector<double>> table;
  for (int i = 0; i < n; ++i)
    table[i % 2 ? "odd" : "even"].push_back(x[i] * x[0]);
  double s = 0;
  for (const auto &[name, values] : table)
    s += std::accumulate(values.begin(), values.end(), 0.0) * static_cast<double>(name.size());
  return s * table["odd"][0];
}

double sparseMatrix(const double *x, int n) {
  std::map<std::pair<int, int>, double> a;
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; j += 2)
      a[{i, j}] += x[i] * x[j];
  std::vector<double> y(n);
  for (const auto &[at, value] : a)
    y[at.first] += value * x[at.second];
  return std::inner_product(y.begin(), y.end(), y.begin(), 0.0);
}

struct Job {
  double priority;
  int id;
  bool operator<(const Job &o) const { return priority > o.priority; }
};
double schedule(const double *x, int n) {
  std::set<Job> jobs;
  for (int i = 0; i < n; ++i)
    jobs.insert({x[i], i});
  double s = 0, clock = 0;
  while (!jobs.empty()) {
    const Job next = *jobs.begin();
    jobs.erase(jobs.begin());
    clock += next.priority;
    s += clock * x[next.id];
  }
  return s;
}

double pairsSorted(const double *x, int n) {
  std::vector<std::pair<double, int>> v;
  for (int i = 0; i < n; ++i)
    v.emplace_back(x[i] * x[0], i);
  std::sort(v.begin(), v.end());
  std::vector<std::tuple<double, double, std::size_t>> t;
  for (std::size_t i = 0; i + 1 < v.size(); ++i)
    t.emplace_back(v[i].first, v[i + 1].first, i);
  double s = 0;
  for (const auto &[a, b, i] : t)
    s += (b - a) * a * static_cast<double>(i + 1);
  return s + v.back().first;
}

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
  virtual void grow(double) {}
};
struct Disc : Shape {
  double r;
  explicit Disc(double r) : r(r) {}
  double area() const override { return r * r * 3.14; }
  void grow(double by) override { r *= by; }
};
struct Polygon : Shape {
  std::vector<double> sides;
  explicit Polygon(std::vector<double> s) : sides(std::move(s)) {}
  double area() const override {
    return std::accumulate(sides.begin(), sides.end(), 1.0, std::multiplies<>());
  }
};
double scene(const double *x, int n) {
  std::vector<std::unique_ptr<Shape>> all;
  for (int i = 0; i + 1 < n; ++i)
    if (i % 2)
      all.push_back(std::make_unique<Disc>(x[i]));
    else
      all.emplace_back(new Polygon({x[i], x[i + 1], x[0]}));
  double s = 0;
  for (auto &shape : all) {
    shape->grow(x[1]);
    s += shape->area();
    if (const auto *disc = dynamic_cast<const Disc *>(shape.get()))
      s += disc->r;
  }
  all.erase(all.begin());
  return s * all.front()->area();
}

double lookup(int i) {
  static const std::vector<double> table = [] {
    std::vector<double> t;
    for (int k = 0; k < 8; ++k)
      t.push_back(1.0 / (1 + k));
    return t;
  }();
  return table[i % 8];
}
double guardedStatics(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += lookup(i) * x[i] * x[i];
  return s;
}

double counters(const double *x, int n) {
  std::atomic<int> count{0};
  std::atomic<double> sum{0};
  for (int i = 0; i < n; ++i)
    if (x[i] > 0.6) {
      ++count;
      sum.store(sum.load() + x[i] * x[i]);
    }
  return sum.load() * count.load();
}

double complexFunctions(const double *x, int n) {
  using C = std::complex<double>;
  C s = 1;
  for (int i = 0; i + 1 < n; ++i) {
    const C z(x[i], x[i + 1]);
    s += std::sin(z) * std::exp(-z) + std::log(z) / std::sqrt(z) + std::pow(z, 3) +
         std::pow(z, C(0.5, 1));
    s +=
        std::cosh(z) - std::tan(z * 0.3) + std::polar(x[i], x[i + 1]) + std::conj(z) * std::norm(z);
  }
  return std::abs(s) + std::arg(s) * s.real();
}

double references(const double *x, int n) {
  std::vector<double> values(x, x + n);
  std::vector<std::reference_wrapper<double>> large;
  for (double &v : values)
    if (v > 0.8)
      large.push_back(std::ref(v));
  for (double &v : large)
    v *= v;
  double s = 0;
  for (double v : values)
    s = s * 0.6 + v;
  return s;
}

double lambdaKinds(const double *x, int n) {
  auto scaled = [p = std::make_unique<double>(x[0])](auto v) { return *p * v; };
  auto counter = [total = 0.0](double v) mutable { return total += v * v; };
  const auto self = [&](auto me, int i) -> double {
    return i == 0 ? x[0] : x[i] * me(me, i - 1) + 0.1;
  };
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += scaled(x[i]) * counter(x[i]);
  return s + self(self, n - 1);
}

struct Content {
  double mass = 0;
  int count = 0;
};
double splices(const double *x, int n) {
  std::list<Content> a, b;
  for (int i = 0; i < n; ++i)
    (i % 2 ? a : b).push_back({x[i], i});
  a.splice(a.begin(), b, std::next(b.begin()));
  a.splice(a.end(), b);
  a.reverse();
  double s = 0;
  for (const Content &c : a)
    s = s * 0.7 + c.mass * c.count;
  return s;
}

class Pool {
  std::vector<std::unique_ptr<double[]>> blocks;
  std::size_t used = 4;

public:
  double *make(double v) {
    if (used == 4) {
      blocks.push_back(std::make_unique<double[]>(4));
      used = 0;
    }
    double *p = &blocks.back()[used++];
    *p = v;
    return p;
  }
};
double pooled(const double *x, int n) {
  Pool pool;
  std::vector<double *> made;
  for (int i = 0; i < n; ++i)
    made.push_back(pool.make(x[i] * (i ? *made.back() : 1)));
  return std::accumulate(made.begin(), made.end(), 0.0,
                         [](double s, double *p) { return s + *p * *p; });
}

} // namespace

GRADIENT_CHECK(cpp_data_series, Double, series, In(double, 6), Int(6))
GRADIENT_CHECK(cpp_data_sparse_matrix, Double, sparseMatrix, In(double, 5), Int(5))
GRADIENT_CHECK(cpp_data_schedule, Double, schedule, In(double, 6), Int(6))
GRADIENT_CHECK(cpp_data_pairs_sorted, Double, pairsSorted, In(double, 7), Int(7))
GRADIENT_CHECK(cpp_data_scene, Double, scene, In(double, 6), Int(6))
GRADIENT_CHECK(cpp_data_statics, Double, guardedStatics, In(double, 6), Int(6))
GRADIENT_CHECK(cpp_data_counters, Double, counters, In(double, 6), Int(6))
GRADIENT_CHECK(cpp_data_complex, Double, complexFunctions, In(double, 4), Int(4))
GRADIENT_CHECK(cpp_data_references, Double, references, In(double, 7), Int(7))
GRADIENT_CHECK(cpp_data_lambdas, Double, lambdaKinds, In(double, 5), Int(5))
GRADIENT_CHECK(cpp_data_splices, Double, splices, In(double, 7), Int(7))
GRADIENT_CHECK(cpp_data_pooled, Double, pooled, In(double, 7), Int(7))
