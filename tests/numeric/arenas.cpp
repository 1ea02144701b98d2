// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An arena whose bytes lie in itself, beside the place of the next block: floats of both kinds,
// pointers and integers have the same bytes at one time or another.
// Supports: arenas (bump allocators)
#include "GradientCheck.h"
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <vector>

namespace {

class Arena {
  std::size_t used = 0;
  double scale = 1;
  alignas(16) unsigned char bytes[4096];
  int blocks = 0;
  void *take(std::size_t size, std::size_t alignment) {
    used = (used + alignment - 1) & ~(alignment - 1);
    void *block = bytes + used;
    used += size;
    ++blocks;
    return block;
  }

public:
  template <class T> T *make(T value) { return new (take(sizeof(T), alignof(T))) T(value); }
  template <class T> T *array(std::size_t n) {
    return static_cast<T *>(take(n * sizeof(T), alignof(T)));
  }
  void reset() { used = 0; }
  void rescale(double by) { scale *= by; }
  double scaled(double v) const { return v * scale + blocks; }
};
struct Link {
  int row;
  double v;
  Link *next;
};
double arenas(const double *x, int n) {
  Arena arena;
  arena.rescale(x[0]);
  double sum = 0;
  for (int round = 0; round < 3; ++round) {
    Link *lists[2] = {};
    double **rows = arena.array<double *>(n);
    float *weights = arena.array<float>(n);
    for (int i = 0; i < n; i++) {
      rows[i] = arena.array<double>(i + 1);
      weights[i] = float(i + round);
      for (int j = 0; j <= i; j++)
        rows[i][j] = x[i] * x[j] + round;
      lists[i % 2] = arena.make(Link{i, rows[i][i] * x[round], lists[i % 2]});
    }
    for (Link *first : lists)
      for (Link *at = first; at; at = at->next)
        sum += at->v * rows[at->row][at->row / 2] * weights[at->row];
    arena.reset();
  }
  return arena.scaled(sum);
}

/// Blocks of bytes on the heap, from which containers get their nodes: the place of the next node
/// is rounded up and kept, and the containers lead to it as their nodes do.
struct Blocks {
  std::vector<std::unique_ptr<char[]>> blocks;
  std::size_t used = 0, size = 0;
  void *take(std::size_t bytes, std::size_t alignment) {
    used = (used + alignment - 1) / alignment * alignment;
    if (blocks.empty() || used + bytes > size) {
      blocks.push_back(std::make_unique<char[]>(size = 512));
      used = 0;
    }
    void *place = blocks.back().get() + used;
    used += bytes;
    return place;
  }
};
template <class T> struct FromBlocks {
  using value_type = T;
  Blocks *from;
  FromBlocks(Blocks *b) : from(b) {}
  template <class U> FromBlocks(const FromBlocks<U> &o) : from(o.from) {}
  T *allocate(std::size_t n) { return static_cast<T *>(from->take(n * sizeof(T), alignof(T))); }
  void deallocate(T *, std::size_t) {}
  template <class U> bool operator==(const FromBlocks<U> &o) const { return from == o.from; }
};
double containers(const double *x, int n) {
  Blocks blocks;
  using Entries = FromBlocks<std::pair<const int, double>>;
  std::map<int, double, std::less<>, Entries> byKey{Entries(&blocks)};
  std::list<double, FromBlocks<double>> list{FromBlocks<double>(&blocks)};
  for (int i = 0; i < n; ++i) {
    byKey[i * 5 % n] = x[i] * x[i];
    list.push_front(x[i] * x[i / 2]);
  }
  list.reverse();
  double sum = 0;
  for (const auto &[key, v] : byKey)
    sum += (key + 1) * v * list.front();
  for (double v : list)
    sum = sum * 0.5 + v * v;
  return sum;
}
} // namespace

GRADIENT_CHECK(arenas, Double, arenas, In(double, 6), Int(6))
GRADIENT_CHECK(arenas_containers, Double, containers, In(double, 6), Int(6))
