// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures that begin with an array of numbers and end with a small number beside an integer, in
// vectors: grown, assigned, erased, sorted, partitioned, in heaps, in vectors of vectors.
// Supports: structures that begin with arrays
#include "GradientCheck.h"
#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

namespace {
struct Particle {
  double x[3], v[3];
  int id;
  float w;
};

Particle made(const double *a, int n, int i) {
  Particle p;
  p.id = (i * 5) % 7;
  p.w = 0.5f + 0.25f * (i % 3);
  for (int d = 0; d < 3; ++d) {
    p.x[d] = a[i] + d;
    p.v[d] = a[(i + d) % n];
  }
  return p;
}

double weigh(const std::vector<Particle> &all) {
  double s = 0;
  int k = 1;
  for (const Particle &p : all)
    s += k++ * p.x[0] * p.x[1] * p.w + std::cos(p.x[2]) * p.v[p.id % 3];
  return s;
}
} // namespace

static double sorted(const double *a, int n) {
  std::vector<Particle> all;
  for (int i = 0; i < n; ++i)
    all.push_back(made(a, n, i));
  for (Particle &p : all)
    for (int d = 0; d < 3; ++d)
      p.x[d] += 0.1 * p.v[d] * p.w;
  std::vector<Particle> copy(all);
  std::sort(copy.begin(), copy.end(), [](auto &p, auto &q) { return p.id < q.id; });
  all.swap(copy);
  return weigh(all) + copy[1].x[2];
}

GRADIENT_CHECK(arrays_first_sort, Double, sorted, In(double, 6), Int(6))

static double changed(const double *a, int n) {
  std::vector<Particle> all, more(n);
  for (int i = 0; i < n; ++i)
    all.insert(all.begin() + i / 2, made(a, n, i));
  more.assign(all.begin() + 1, all.end());
  more.resize(n + 2, all[2]);
  more.erase(more.begin() + 1);
  std::partition(more.begin(), more.end(), [](const Particle &p) { return p.id % 2 == 0; });
  std::rotate(all.begin(), all.begin() + 2, all.end());
  all = more;
  return weigh(all) * more.back().x[1];
}

GRADIENT_CHECK(arrays_first_changed, Double, changed, In(double, 5), Int(5))

static double nested(const double *a, int n) {
  std::vector<std::vector<Particle>> cells(3);
  std::deque<Particle> queue;
  for (int i = 0; i < n; ++i)
    cells[i % 3].push_back(made(a, n, i));
  for (auto &cell : cells) {
    std::make_heap(cell.begin(), cell.end(), [](auto &p, auto &q) { return p.id < q.id; });
    queue.push_back(cell.front());
  }
  double s = 0;
  while (!queue.empty()) {
    Particle p = queue.front();
    queue.pop_front();
    if (p.id-- > 4)
      queue.push_back(p);
    for (int d = 0; d < 3; ++d)
      s += p.w * p.x[d] * p.v[(d + 1) % 3];
  }
  for (const auto &cell : cells)
    s += weigh(cell);
  return s;
}

GRADIENT_CHECK(arrays_first_nested, Double, nested, In(double, 7), Int(7))
