// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors, lists and smart pointers of the caller's, and arrays behind members of templates, with
// structures that begin with an array of numbers.
// Supports: structures that begin with arrays
#include "GradientCheck.h"
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

double __enzyme_fwddiff_cloud(void *, ...);
void __enzyme_autodiff_cloud(void *, ...);

namespace {
constexpr int n = 5;

template <int D> struct Point {
  double x[D];
  int id;
  float w;
};

template <class T> struct View {
  T *data;
  int count;
  T &operator[](int i) { return data[i]; }
};

struct Node {
  Point<3> point;
  Node *next;
};

struct Cloud {
  std::vector<Point<3>> points;
  std::vector<std::unique_ptr<Point<3>>> owned;
  const Point<3> *kept[n]; ///< as they are before pointers are exchanged
  Node nodes[n], *first = nodes;
  double step = 0;
  View<Point<2>> pairs{};
  Point<2> pairsHere[n];

  Cloud(const double *x, bool isBar) : points(n), step(x[3 * n]) {
    std::memset(pairsHere, 0, sizeof pairsHere);
    for (int i = 0; i < n; ++i) {
      std::memcpy(points[i].x, x + 3 * i, 3 * sizeof(double));
      std::memcpy(pairsHere[i].x, x + i, 2 * sizeof(double));
      points[i].id = pairsHere[i].id = isBar ? 0 : (3 * i + 1) % n;
      points[i].w = pairsHere[i].w = isBar ? 0 : 0.25f * i + 1;
    }
    pairs = {pairsHere, n};
    for (int i = 0; i < n; ++i) {
      owned.push_back(std::make_unique<Point<3>>(points[i]));
      kept[i] = owned.back().get();
      nodes[i] = {points[n - 1 - i], i + 1 < n ? nodes + i + 1 : nullptr};
    }
  }
  Cloud(const Cloud &) = delete;

  void addTo(double *x) const {
    for (int i = 0; i < n; ++i) {
      for (int d = 0; d < 3; ++d)
        x[3 * i + d] += points[i].x[d] + kept[i]->x[d] + nodes[n - 1 - i].point.x[d];
      for (int d = 0; d < 2; ++d)
        x[i + d] += pairsHere[i].x[d];
    }
    x[3 * n] += step;
  }
};

template <double (*F)(Cloud *)> double primal(void *const *v) {
  Cloud c(static_cast<double *>(v[0]), false);
  return F(&c);
}
template <double (*F)(Cloud *)> double tangent(void *const *v, void *const *d) {
  Cloud c(static_cast<double *>(v[0]), false), dot(static_cast<double *>(d[0]), true);
  return __enzyme_fwddiff_cloud((void *)F, enzyme_dup, &c, &dot);
}
template <double (*F)(Cloud *)> void adjoint(void *const *v, void *const *d) {
  const double none[3 * n + 1] = {};
  Cloud c(static_cast<double *>(v[0]), false), bar(none, true);
  __enzyme_autodiff_cloud((void *)F, enzyme_dup, &c, &bar);
  bar.addTo(static_cast<double *>(d[0]));
}

#define OF_CLOUD(name)                                                                             \
  GRADIENT_CHECK_CUSTOM(arrays_first_##name, Double, primal<name>, tangent<name>, adjoint<name>,   \
                        In(double, 3 * n + 1))

double pushed(Cloud *c) {
  auto &p = c->points;
  for (int i = 0; i < n; ++i)
    for (int d = 0; d < 3; ++d)
      p[i].x[d] += c->step * p[(i + 1) % n].x[(d + 1) % 3];
  std::swap(p[0], p[2]);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * p[i].x[0] * p[i].x[2];
  return sum + p.back().x[1] * p.front().x[0];
}

double sorted(Cloud *c) {
  auto &p = c->points;
  std::sort(p.begin(), p.end(), [](auto &a, auto &b) { return a.x[0] < b.x[0]; });
  std::reverse(p.begin() + 1, p.end());
  double sum = 0, factor = 1;
  for (const auto &q : p) {
    for (int d = 0; d < 3; ++d)
      sum += factor * q.x[d] * c->step;
    factor += q.x[1];
  }
  return sum;
}

double linked(Cloud *c) {
  double sum = 0, factor = 1;
  for (Node *at = c->first; at; at = at->next) {
    for (int d = 0; d < 3; ++d)
      sum += at->point.x[d] * at->point.x[(d + 1) % 3] * at->point.w * c->step;
    if (at->next) {
      const Point<3> t = at->point;
      at->point = at->next->point;
      at->next->point = t;
    }
  }
  for (const Node *at = c->first; at; at = at->next, factor += 1)
    for (int d = 0; d < 3; ++d)
      sum += factor * at->point.x[d] * at->point.id;
  return sum;
}

double owned(Cloud *c) {
  double sum = 0, factor = 1;
  std::swap(*c->owned[0], *c->owned[2]);
  std::swap(c->owned[1], c->owned[3]);
  for (const auto &p : c->owned) {
    for (int d = 0; d < 3; ++d)
      sum += factor * p->x[d] * p->x[(d + 1) % 3] * p->w;
    p->x[1] *= factor * c->step;
    factor += p->x[0] * p->id;
  }
  return sum + factor;
}

double viewed(Cloud *c) {
  double sum = 0;
  for (int i = 0; i < c->pairs.count; ++i) {
    auto &a = c->points[i], &b = c->points[a.id];
    for (int d = 0; d < 3; ++d)
      a.x[d] += c->step * b.x[(d + 1) % 3];
    std::swap(c->pairs[i], c->pairs[0]);
    c->pairs[i].x[1] *= a.x[0];
  }
  const auto t = c->pairs[1];
  c->pairs[1] = c->pairs[3];
  c->pairs[3] = t;
  for (int i = 0; i < c->pairs.count; ++i)
    sum += (i + 1) * c->pairs[i].x[1] * c->pairs[i].x[0] * c->points[i].x[i % 3];
  return sum;
}
} // namespace

OF_CLOUD(pushed)
OF_CLOUD(sorted)
OF_CLOUD(linked)
OF_CLOUD(owned)
OF_CLOUD(viewed)
