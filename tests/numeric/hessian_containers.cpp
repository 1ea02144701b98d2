// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Supports: derivatives of derivatives through lists, maps, hash tables and trees
//
// Hessian-vector products through containers: nodes that the library links, objects that hold
// pointers beside numbers, memory that grows.
#include "Hessian.h"

#include <cmath>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

enum { n = 6 };

static double product(const double *x, int i) { return x[i % n] * x[(i + 1) % n]; }

static double hessian_list(const double *x) {
  std::list<double> odd, even;
  for (int i = 0; i < 10; ++i)
    (i % 2 ? odd : even).push_back(product(x, i));
  odd.splice(odd.begin(), even, even.begin());
  odd.reverse();
  even.swap(odd);
  even.erase(std::next(even.begin()));
  odd.splice(odd.end(), even);
  double sum = 1;
  for (double v : odd)
    sum = sum * x[1] + std::sin(v) * v;
  return sum;
}
HESSIAN(hessian_list)
HESSIAN_TWICE(hessian_list)
SLOPE(hessian_list)

static double hessian_map(const double *x) {
  std::map<int, double> m;
  for (int i = 0; i < 40; ++i)
    m[i * 17 % 23] += product(x, i);
  for (auto it = m.begin(); it != m.end();)
    it = it->first % 3 == 0 ? m.erase(it) : std::next(it);
  const std::map<int, double> copy = m;
  double sum = 0;
  for (auto &[key, v] : m)
    sum += std::exp(-v) * x[key % n];
  for (auto it = copy.rbegin(); it != copy.rend(); ++it)
    sum += it->second * it->second * sum * 0.01;
  std::multiset<double> sorted(x, x + n);
  return sum * *sorted.begin() * *sorted.rbegin();
}
HESSIAN(hessian_map)
HESSIAN_TWICE(hessian_map)
SLOPE(hessian_map)

static double hessian_rows(const double *x) {
  std::map<std::string, std::vector<double>> rows;
  const char *names[] = {"a", "a name that is too long to be kept inside", "b", "c"};
  for (int i = 0; i < 12; ++i)
    rows[names[i * 7 % 4]].push_back(product(x, i));
  rows.erase("b");
  double sum = 0;
  for (auto &[name, row] : rows)
    for (double v : row)
      sum += v * v * v * static_cast<double>(name.size());
  return sum;
}
HESSIAN(hessian_rows)

static double hessian_hash(const double *x) {
  std::unordered_map<int, double> table;
  for (int i = 0; i < 30; ++i)
    table[i * 11 % 13] += product(x, i) * x[0];
  table.erase(3);
  double sum = 0;
  for (int i = 0; i < 13; ++i)
    if (auto it = table.find(i); it != table.end())
      sum += std::sin(it->second) * x[i % n];
  return sum;
}
HESSIAN(hessian_hash)
HESSIAN_TWICE(hessian_hash)
SLOPE(hessian_hash)

struct Branch {
  double v;
  std::unique_ptr<Branch> left, right;
};
static std::unique_ptr<Branch> grow(const double *x, int from, int to) {
  if (from >= to)
    return nullptr;
  const int middle = (from + to) / 2;
  return std::unique_ptr<Branch>(
      new Branch{product(x, middle), grow(x, from, middle), grow(x, middle + 1, to)});
}
static double walk(const Branch *b) {
  return b ? std::sin(b->v) + walk(b->left.get()) * b->v + walk(b->right.get()) : 0.5;
}
static double hessian_tree(const double *x) {
  const auto tree = grow(x, 0, 9);
  double sum = walk(tree.get());
  std::optional<double> end;
  if (n > 3)
    end = sum * x[2];
  return end.value_or(1);
}
HESSIAN(hessian_tree)

struct Particle {
  double mass, *charge;
  int kind;
  double place[2];
};
static double hessian_particles(const double *x) {
  double charges[8];
  std::vector<Particle> all;
  for (int i = 0; i < 8; ++i) {
    charges[i] = x[i % n] * x[i % n];
    all.push_back({x[i % n], charges + i, i, {x[(i + 1) % n], product(x, i)}});
  }
  all.push_back(all[3]);
  all.erase(all.begin());
  Particle some[3];
  memcpy(static_cast<void *>(some), &all[1], sizeof some);
  std::swap(some[0], some[2]);
  double sum = 0;
  for (const Particle &p : all)
    sum += p.mass * *p.charge * p.place[0];
  for (const Particle &p : some)
    sum += std::sin(p.place[1] * p.mass) * *p.charge;
  return sum;
}
HESSIAN(hessian_particles)
HESSIAN_TWICE(hessian_particles)

// Numbers change places with addresses: in the reverse sweep a place holds a number where the
// forward sweep has left an address.
template <typename Number, int count> struct Place {
  union {
    Number numbers[count];
    Number *at;
  };
  bool leads;
  Number value() const { return leads ? *at * *at : numbers[0] * numbers[count - 1]; }
};
template <typename Number, int count> static Number places(const Number *x) {
  Place<Number, count> p[7];
  Number w = x[0] * x[1], sum = 0;
  for (int i = 0; i < 7; ++i) {
    p[i].leads = i % 3 == 0;
    if (p[i].leads) {
      p[i].at = &w;
    } else {
      p[i].numbers[0] = x[i % n] * x[2];
      p[i].numbers[count - 1] = x[i % n] * x[3];
    }
  }
  std::swap(p[0], p[5]);
  for (int i = 0; i < 4; ++i) {
    const Place<Number, count> first = p[i];
    p[i] = p[i + 1];
    p[i + 1] = p[i + 2];
    p[i + 2] = first;
  }
  memmove(static_cast<void *>(p), p + 1, 4 * sizeof *p);
  for (int i = 0; i < 7; ++i)
    sum += p[i].value() / (i + 1);
  return sum;
}
static double hessian_places(const double *x) { return places<double, 1>(x); }
HESSIAN(hessian_places)
HESSIAN_TWICE(hessian_places)

static float bent_places(const float *x) {
  float g[n] = {}, sum = 0;
  __enzyme_autodiff_hessian((void *)places<float, 2>, enzyme_dup, x, g);
  for (int i = 0; i < n; ++i)
    sum += g[i] * x[(i + 1) % n];
  return sum;
}
GRADIENT_CHECK(bent_places, Float, bent_places, In(float, n))

// A third derivative, forwards and backwards through the list.
static double bent(double x) {
  std::list<double> l;
  for (int i = 1; i < 5; ++i)
    l.push_front(std::sin(x * i));
  l.reverse();
  double sum = x;
  for (double v : l)
    sum = sum * v + x;
  for (auto it = l.rbegin(); it != l.rend(); ++it)
    sum = sum * *it + *it * *it;
  return sum;
}
static double bent_slope(double x) { return __enzyme_fwddiff_hessian((void *)bent, x, 1.0); }
static double bent_curvature(double x) {
  return __enzyme_fwddiff_hessian((void *)bent_slope, x, 1.0);
}
GRADIENT_CHECK(third, Double, bent_curvature, Scalar(double))

// A word is the bits of a product, of a number in memory, or an address: it moves as it is.
using Alternatives = std::variant<double, std::vector<double>>;
using Nested = std::variant<double, Alternatives>;

struct Choices {
  const double *x, *y, *c;
  const int *kinds;
  int at = 0;
  double next() {
    const int i = at++ % 12;
    return i % 3 == 0 ? y[i] : i % 3 == 1 ? x[i] * c[i] : x[i];
  }
  int count() { return kinds[at++ % 12]; }
};

static void fill(std::vector<double> &row, Choices &from) {
  int m = 2 + from.count() % 2;
  for (int j = 0; j < m; j++) {
    row.emplace_back();
    auto &e = row.back();
    e = from.next();
  }
}

static void fill(Alternatives &a, Choices &from) {
  if (from.count() % 2) {
    std::vector<double> e{};
    fill(e, from);
    a = std::move(e);
  } else {
    double e{};
    e = from.next();
    a = e;
  }
}

static void fill(Nested &a, Choices &from) {
  if (from.count() % 2) {
    Alternatives e{};
    fill(e, from);
    a = e;
  } else {
    double e{};
    e = from.next();
    a = e;
  }
}

static double fold(const std::vector<double> &row, double s) {
  for (auto &e : row)
    s = s * 0.25 + e * e;
  return s;
}

static double fold(const Alternatives &a, double s) {
  return a.index() == 0 ? s + std::get<0>(a) : fold(std::get<1>(a), s);
}

static double fold(const Nested &a, double s) {
  if (const double *p = std::get_if<double>(&a))
    return s + 0.21 * std::log(1.5 + *p * *p);
  return fold(std::get<1>(a), s);
}

static double choices(const double *x, const int *kinds) {
  double s = 0.1;
  Choices from{x, x, x, kinds};
  Nested a{}, b{};
  fill(a, from);
  fill(b, from);
  s += std::tanh(fold(a, s));
  s += std::tanh(fold(b, s));
  return s;
}

static double hessian_choices(const double *x) {
  static int kinds[12] = {5, 6, 0, 6};
  double copy[12];
  for (int i = 0; i < 12; i++)
    copy[i] = x[i % 4];
  return choices(copy, kinds);
}
HESSIAN(hessian_choices)

int hessian_containers_swaps = 3;

// Words that are a number or an address change places as integers.
static double hessian_swaps(const double *x) {
  double s = 0.1, copy[12];
  int kinds[12] = {};
  for (int i = 0; i < 12; i++)
    copy[i] = x[i % 4] * x[(i + 1) % 4];
  Choices from{copy, copy, copy, kinds};
  Nested a{}, b{};
  fill(a, from);
  fill(b, from);
  for (int i = 0; i < hessian_containers_swaps; i++)
    a.swap(b);
  s += std::tanh(fold(a, s));
  s += std::sin(fold(b, s)) * s;
  return s;
}
HESSIAN(hessian_swaps)

// An owner that is only looked at: the count goes up by an exchange that is tried until it works.
struct Meter : std::enable_shared_from_this<Meter> {
  double sum = 0;
  std::weak_ptr<Meter> other;
  void on(double v) {
    sum += v * v;
    if (auto p = other.lock())
      p->sum += 0.1 * sum * v;
  }
};

static double hessian_weak(const double *x) {
  auto a = std::make_shared<Meter>(), b = std::make_shared<Meter>();
  a->other = b;
  for (int i = 0; i < n; ++i)
    a->on(x[i]);
  return a->sum + b->sum * b->sum;
}
HESSIAN(hessian_weak)
