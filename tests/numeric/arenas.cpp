// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An arena whose bytes lie in itself, beside the place of the next block: floats of both kinds,
// pointers and integers have the same bytes at one time or another.
// Supports: arenas (bump allocators)
#include "GradientCheck.h"
#include <cstddef>
#include <new>

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
} // namespace

GRADIENT_CHECK(arenas, Double, arenas, In(double, 6), Int(6))
