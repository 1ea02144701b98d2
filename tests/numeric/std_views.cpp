// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges, views, spans, valarray slices, any, optional, variant, polymorphic allocators.
// Supports: ranges, views, `std::span`, `any`, allocators
#include "GradientCheck.h"
#include <algorithm>
#include <any>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <tuple>
#include <valarray>
#include <variant>
#include <vector>

namespace {

double filtered(const double *x, int n) {
  double s = 0;
  for (double v : std::span(x, n) | std::views::filter([](double v) { return v > 0.7; }) |
                      std::views::transform([](double v) { return v * v; }))
    s += v * v;
  return s;
}

double dropped(const double *x, int n) {
  double s = 0;
  for (double v : std::span(x, n) | std::views::drop(1) | std::views::reverse | std::views::take(4))
    s = s * 0.8 + v * v;
  return s;
}

double iotas(const double *x, int n) {
  double s = 0;
  for (int i : std::views::iota(0, n))
    for (int j : std::views::iota(i, n))
      s += x[i] * x[j] * x[i];
  return s;
}

double rangesSorted(const double *x, int n) {
  std::vector<double> y(x, x + n);
  std::ranges::sort(y, std::ranges::greater{});
  std::ranges::transform(y, y.begin(), [](double v) { return v * v; });
  double s = 0, w = 1;
  for (double v : y)
    s += (w *= 0.6) * v;
  return s + *std::ranges::max_element(y);
}

struct Particle {
  double mass, position;
  int id;
};
double projections(const double *x, int n) {
  std::vector<Particle> ps;
  for (int i = 0; i < n; ++i)
    ps.push_back({x[i], x[i] * x[0] + i, i});
  std::ranges::sort(ps, {}, &Particle::mass);
  double s = 0;
  int place = 0;
  for (double m : ps | std::views::transform(&Particle::mass))
    s += m * ps[place++].position;
  return s + std::ranges::min(ps, {}, &Particle::position).mass;
}

struct Star {
  int number;
  double mass;
  float magnitude;
  double distance;
  std::vector<double> lines;
};
/// Both sorts are one function, which is given the pointer to a member by reference.
double starsSorted(const double *x, int n) {
  std::vector<Star> stars;
  for (int i = 0; i < n; ++i)
    stars.push_back({i, x[i], static_cast<float>(i), x[i] * x[0], {x[i], x[(i + 1) % n]}});
  double s = 0, w = 1;
  std::ranges::sort(stars, {}, &Star::mass);
  for (const Star &star : stars)
    s += (w *= 0.7) * star.mass * star.lines[1];
  stars[1].distance *= x[1];
  std::ranges::sort(stars, {}, &Star::distance);
  for (const Star &star : stars)
    s += (w *= 1.1) * star.distance * star.magnitude * star.lines[0];
  return s;
}

double tail(std::span<const double> v) {
  return v.empty() ? 1 : v.front() * tail(v.subspan(1)) + 0.1 * v.back();
}
double spans(const double *x, int n) { return tail({x, static_cast<std::size_t>(n)}); }

double norm2(std::span<const double, 3> v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }
double fixedSpans(const double *x, int n) {
  double s = 0;
  for (int i = 0; i + 3 <= n; ++i)
    s += std::sqrt(norm2(std::span<const double, 3>(x + i, 3)));
  return s;
}

template <std::size_t Rank> class Tensor {
  std::span<double> data;
  std::array<std::size_t, Rank> extents;

public:
  Tensor(std::span<double> d, std::array<std::size_t, Rank> e) : data(d), extents(e) {}
  template <typename... I> double &operator()(I... index) {
    std::size_t offset = 0, axis = 0;
    ((offset = offset * extents[axis++] + static_cast<std::size_t>(index)), ...);
    return data[offset];
  }
};
double tensors(const double *x, int n) {
  std::vector<double> storage(2 * 3 * 2);
  Tensor<3> t(storage, {2, 3, 2});
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 2; ++k)
        t(i, j, k) = x[(i + 2 * j + k) % n] * (1 + j);
  double s = 0;
  for (int j = 0; j < 3; ++j)
    s += t(0, j, 1) * t(1, 2 - j, 0);
  return s;
}

double slices(const double *x, int n) {
  std::valarray<double> v(x, n);
  std::valarray<double> even = v[std::slice(0, n / 2, 2)];
  v[std::slice(1, n / 2, 2)] *= even;
  std::valarray<double> w = std::sin(v) + v * v;
  return (w * v).sum() + w.max() + std::valarray<double>(v[v > 0.5 * v.max()]).sum();
}

double anys(const double *x) {
  std::any a = x[0] * x[1];
  double s = std::any_cast<double>(a);
  a = 3;
  s *= std::any_cast<int>(a);
  a = std::array<double, 4>{x[0], x[1], s, 1};
  const auto &values = std::any_cast<const std::array<double, 4> &>(a);
  return values[0] * values[2] + values[1];
}

std::optional<double> root(double v) {
  if (v < 0)
    return std::nullopt;
  return std::sqrt(v);
}
double optionals(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    if (const auto r = root(x[i] - 0.9))
      s += *r * x[i];
    else
      s += root(x[i]).value_or(0) * x[i];
  return s;
}

struct Circle {
  double r;
};
struct Rectangle {
  double a, b;
};
struct Nothing {};
using Figure = std::variant<Nothing, Circle, Rectangle>;
template <class... F> struct Overloaded : F... {
  using F::operator()...;
};
double variants(const double *x, int n) {
  std::vector<Figure> figures;
  for (int i = 0; i + 1 < n; ++i)
    if (i % 3 == 0)
      figures.emplace_back(Circle{x[i]});
    else if (i % 3 == 1)
      figures.emplace_back(Rectangle{x[i], x[i + 1]});
    else
      figures.emplace_back();
  double s = 0;
  for (Figure &f : figures)
    s += std::visit(Overloaded{[](Nothing) { return 0.5; }, [](Circle c) { return c.r * c.r; },
                               [](Rectangle q) { return q.a * q.b * q.b; }},
                    f);
  return s * s;
}

class Bump : public std::pmr::memory_resource {
  void *do_allocate(std::size_t bytes, std::size_t) override {
    ++count;
    return ::operator new(bytes);
  }
  void do_deallocate(void *p, std::size_t, std::size_t) override { ::operator delete(p); }
  bool do_is_equal(const memory_resource &o) const noexcept override { return this == &o; }

public:
  int count = 0;
};
double resources(const double *x, int n) {
  Bump pool;
  std::pmr::vector<double> v(&pool);
  for (int i = 0; i < n; ++i)
    v.push_back(x[i] * (i ? v.back() : 1));
  return std::accumulate(v.begin(), v.end(), 0.0) * pool.count;
}

template <typename T> struct CountingAllocator {
  using value_type = T;
  int *count;
  explicit CountingAllocator(int *c) : count(c) {}
  template <typename U> CountingAllocator(const CountingAllocator<U> &o) : count(o.count) {}
  T *allocate(std::size_t n) { return ++*count, static_cast<T *>(::operator new(n * sizeof(T))); }
  void deallocate(T *p, std::size_t) { ::operator delete(p); }
  bool operator==(const CountingAllocator &) const = default;
};
double allocators(const double *x, int n) {
  int count = 0;
  std::vector<double, CountingAllocator<double>> v{CountingAllocator<double>(&count)};
  for (int i = 0; i < n; ++i)
    v.push_back(x[i] * x[0]);
  double s = 0;
  for (double e : v)
    s += e * e;
  return s * count;
}

struct Deleter {
  double *log;
  void operator()(double *p) const {
    *log += *p * *p;
    delete p;
  }
};
double deleters(const double *x, int n) {
  double log = 0;
  for (int i = 0; i < n; ++i) {
    std::unique_ptr<double, Deleter> p(new double(x[i]), Deleter{&log});
    *p *= x[0];
    std::shared_ptr<double> q(new double(x[i] * log), Deleter{&log});
    *q += 0.1;
  }
  return log;
}

double applied(const double *x) {
  const auto t = std::make_tuple(x[0], x[1] * x[0], 3, x[2]);
  return std::apply([](double a, double b, int c, double d) { return a * b * c + d * b; }, t) +
         std::invoke([](auto... v) { return (v * ...); }, x[0], x[1], x[2]);
}

} // namespace

GRADIENT_CHECK(std_views_filtered, Double, filtered, In(double, 7), Int(7))
GRADIENT_CHECK(std_views_dropped, Double, dropped, In(double, 7), Int(7))
GRADIENT_CHECK(std_views_iotas, Double, iotas, In(double, 5), Int(5))
GRADIENT_CHECK(std_views_ranges_sorted, Double, rangesSorted, In(double, 7), Int(7))
GRADIENT_CHECK(std_views_projections, Double, projections, In(double, 6), Int(6))
GRADIENT_CHECK(std_views_stars_sorted, Double, starsSorted, In(double, 6), Int(6))
GRADIENT_CHECK(std_views_spans, Double, spans, In(double, 6), Int(6))
GRADIENT_CHECK(std_views_fixed_spans, Double, fixedSpans, In(double, 6), Int(6))
GRADIENT_CHECK(std_views_tensors, Double, tensors, In(double, 5), Int(5))
GRADIENT_CHECK(std_views_slices, Double, slices, In(double, 8), Int(8))
GRADIENT_CHECK(std_views_any, Double, anys, In(double, 2))
GRADIENT_CHECK(std_views_optionals, Double, optionals, In(double, 6), Int(6))
GRADIENT_CHECK(std_views_variants, Double, variants, In(double, 7), Int(7))
GRADIENT_CHECK(std_views_resources, Double, resources, In(double, 6), Int(6))
GRADIENT_CHECK(std_views_allocators, Double, allocators, In(double, 6), Int(6))
GRADIENT_CHECK(std_views_deleters, Double, deleters, In(double, 5), Int(5))
GRADIENT_CHECK(std_views_applied, Double, applied, In(double, 3))
