// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures of a float and an int that move as one integer: exchanged, sorted, kept in heaps and
// variants. And integers that are sorted by the bits of a float in them.
#include "GradientCheck.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <queue>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {
struct FloatInt {
  float v;
  int k;
};
struct IntFloat {
  int k;
  float v;
};

template <class T> float exchanged(const float *x, int n) {
  T p[8];
  for (int i = 0; i < n; i++) {
    p[i].v = x[i];
    p[i].k = i;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j + 1 < n; j++)
      if ((p[j].k * 5) % n > (p[j + 1].k * 5) % n) {
        T t = p[j];
        p[j] = p[j + 1];
        p[j + 1] = t;
      }
  float s = 0;
  for (int i = 0; i < n; i++)
    s += p[i].v * x[p[i].k] * static_cast<float>(i);
  return s;
}
float exchanges(const float *x, int n) {
  return exchanged<FloatInt>(x, n) - exchanged<IntFloat>(x, n) * x[2];
}

float sortedPairs(const float *x, int n) {
  std::vector<std::pair<int, float>> v;
  for (int i = 0; i < n; i++)
    v.emplace_back((i * 5) % n, x[i] * x[i]);
  std::sort(v.begin(), v.end());
  float s = 0;
  for (const auto &[k, f] : v)
    s += f * static_cast<float>(k + 1) * x[k];
  return s;
}

float shortest(const float *x, int n) {
  using Entry = std::pair<float, int>;
  std::vector<float> distance(n, 1e9F);
  distance[0] = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  queue.push({0.0F, 0});
  while (!queue.empty()) {
    auto [d, u] = queue.top();
    queue.pop();
    if (d > distance[u])
      continue;
    for (int step = 1; step < 4; step++) {
      const int w = (u + step * step) % n;
      const float next = d + x[u] * x[w] * static_cast<float>(step);
      if (next < distance[w]) {
        distance[w] = next;
        queue.push({next, w});
      }
    }
  }
  float s = 0;
  for (float d : distance)
    s += d * d;
  return s;
}

float variants(const float *x, int n) {
  std::vector<std::variant<float, int>> v;
  for (int i = 0; i < n; i++)
    if (i % 3)
      v.emplace_back(x[i] * x[i]);
    else
      v.emplace_back(i);
  std::reverse(v.begin(), v.end());
  float s = 0;
  for (int i = 0; i < n; i++)
    s += std::visit([](auto a) { return static_cast<float>(a); }, v[i]) * x[i];
  return s;
}

float keys(const float *x, int n) {
  std::vector<std::uint64_t> w(n);
  for (int i = 0; i < n; i++) {
    std::uint32_t bits;
    std::memcpy(&bits, &x[i], sizeof bits);
    w[i] = static_cast<std::uint64_t>(bits) << 32 | static_cast<unsigned>(i);
  }
  std::sort(w.begin(), w.end());
  float s = 0;
  for (int i = 0; i < n; i++) {
    const std::uint32_t bits = w[i] >> 32;
    float f;
    std::memcpy(&f, &bits, sizeof f);
    s += f * f * x[static_cast<unsigned>(w[i])];
  }
  return s;
}
} // namespace

GRADIENT_CHECK(moved_exchanges, Float, exchanges, In(float, 8), Int(8))
GRADIENT_CHECK(moved_sorted_pairs, Float, sortedPairs, In(float, 8), Int(8))
GRADIENT_CHECK(moved_shortest, Float, shortest, InRange(float, 5, 0.98, 1.0), Int(5))
GRADIENT_CHECK(moved_variants, Float, variants, In(float, 8), Int(8))
GRADIENT_CHECK(moved_keys, Float, keys, In(float, 8), Int(8))

namespace {
/// The copy that is taken out is looked at in one place only; what else it holds goes back with it.
template <class Index> struct Named {
  Index index[3];
  double at[3];
  std::string name;
};

template <class Index> double inserted(const double *x, int n) {
  std::vector<Named<Index>> all(n);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      all[i].at[k] = x[(i + k) % n] * x[i];
      all[i].index[k] = static_cast<Index>(i + k);
    }
  for (int i = 1; i < n; i++) {
    Named<Index> taken(std::move(all[i]));
    int j = i;
    for (; j > 0 && taken.at[0] < all[j - 1].at[0]; j--)
      all[j] = std::move(all[j - 1]);
    all[j] = std::move(taken);
  }
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += all[i].at[all[i].index[i % 3] % 3] * (i + 1);
  return sum;
}
double inserts(const double *x, int n) { return inserted<int>(x, n) * inserted<short>(x + 1, n); }
} // namespace

GRADIENT_CHECK(moved_inserted, Double, inserts, In(double, 6), Int(5))
