// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::sort with a lambda and of pairs, partial_sort, nth_element: values move, derivatives with
// them. Heaps of records that are copied, also in an arena: what is left of a record whose key and
// number are in registers begins between two words. The largest of pairs that are one word each.
// Supports: `std::vector`, `std::array`, algorithms
#include "GradientCheck.h"
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

static double ranked(const double *x, double a, int n) {
  std::vector<double> v(x, x + n);
  std::sort(v.begin(), v.end(), [a](double p, double q) { return p * a < q * a; });
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += i * v[i] * v[i];
  std::vector<std::pair<double, int>> w;
  for (int i = 0; i < n; ++i)
    w.push_back({x[i] * a, i % 3});
  std::sort(w.begin(), w.end());
  for (int i = 0; i < n; ++i)
    s += i * w[i].first;
  std::nth_element(v.begin(), v.begin() + n / 2, v.end(), [](double p, double q) { return p > q; });
  std::partial_sort(v.begin(), v.begin() + 3, v.end());
  return s + v[0] * v[1] + v[n / 2] * v[2];
}

namespace {
struct Number {
  double v;
  explicit Number(double a) : v(a) {}
};
struct Record {
  double key;
  int id;
  Number value;
  bool operator<(const Record &o) const { return key != o.key ? key < o.key : id < o.id; }
};

struct Arena {
  std::byte *bytes;
  std::size_t used = 0;
};
template <typename T> struct InArena {
  using value_type = T;
  Arena *arena;
  explicit InArena(Arena &a) : arena(&a) {}
  template <typename U> InArena(const InArena<U> &o) : arena(o.arena) {}
  T *allocate(std::size_t n) {
    arena->used = (arena->used + alignof(T) - 1) & ~(alignof(T) - 1);
    void *at = arena->bytes + arena->used;
    arena->used += n * sizeof(T);
    return static_cast<T *>(at);
  }
  void deallocate(T *, std::size_t) {}
  template <typename U> bool operator==(const InArena<U> &o) const { return arena == o.arena; }
};

template <typename Records> double heaps(Records a, const double *x, int n) {
  for (int i = 0; i < n; ++i) {
    a.push_back({x[(2 * i + 1) % n], i, Number(x[2 * i % n])});
    std::push_heap(a.begin(), a.end());
  }
  auto c = a;
  Record last = c.front();
  std::pop_heap(c.begin(), c.end());
  c.pop_back();
  last.key = 0.5 * last.key + 0.1 * x[0];
  last.value.v = 0.7 * last.value.v + x[1];
  c.push_back(std::move(last));
  std::push_heap(c.begin(), c.end());
  double s = c.front().key * c.front().value.v;
  for (const Record &r : c)
    s = s * 0.5 + r.id * r.value.v;
  return s;
}
double onHeap(const double *x, int n) { return heaps(std::vector<Record>(), x, n); }
double inArena(const double *x, int n) {
  std::vector<std::byte> bytes(8192);
  Arena arena{bytes.data()};
  std::vector<int, InArena<int>> odd(3, 1, InArena<int>(arena));
  const double s = heaps(std::vector<Record, InArena<Record>>(InArena<Record>(arena)), x, n);
  return s * odd[1];
}
} // namespace

namespace {
using Scored = std::pair<float, int>;

__attribute__((noinline)) Scored best(const std::vector<Scored> &all) {
  Scored found = all[0];
  for (const Scored &one : all)
    if (one.second > found.second)
      found = one;
  return found;
}

float scored(const float *x, int n) {
  std::vector<Scored> all;
  for (int i = 0; i < n; ++i)
    all.push_back({x[i] * x[i], (i * 5) % 7});
  const Scored top = best(all);
  std::sort(all.begin(), all.end(), [](auto &p, auto &q) { return p.second < q.second; });
  float s = top.first * float(top.second);
  for (int i = 0; i < n; ++i)
    s += all[i].first * float((i + 1) * all[i].second);
  return s;
}
} // namespace

GRADIENT_CHECK(std_sort_best, Float, scored, In(float, 6), Int(6))
GRADIENT_CHECK(std_sort_heaps, Double, onHeap, In(double, 6), Int(6))
GRADIENT_CHECK(std_sort_heaps_in_arena, Double, inArena, In(double, 6), Int(6))
GRADIENT_CHECK(std_sort, Double, ranked, In(double, 24), Scalar(double), Int(24))
