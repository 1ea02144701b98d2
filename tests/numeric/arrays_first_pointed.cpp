// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of the caller's, and arrays behind members of templates, with structures that begin with
// an array of numbers.
// Supports: structures that begin with arrays
#include "GradientCheck.h"
#include <algorithm>
#include <cstring>
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

struct Cloud {
  std::vector<Point<3>> points;
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
  }

  void addTo(double *x) const {
    for (int i = 0; i < n; ++i) {
      for (int d = 0; d < 3; ++d)
        x[3 * i + d] += points[i].x[d];
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
    sum += factor * (q.x[0] + q.x[2]) * c->step;
    factor += q.x[1] * q.w;
  }
  return sum;
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
OF_CLOUD(viewed)
