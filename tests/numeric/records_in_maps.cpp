// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of records in the nodes of a map, beside addresses: the map's own head, of which its
// nodes' addresses lead to as well, is no node, and arrays stay in their places. Where members of
// an object lie behind the head, nothing is in its place, and what a word of a record holds is seen
// when it is copied.
// Supports: arrays of structures in the values of a `std::map`
#include "GradientCheck.h"
#include <cmath>
#include <list>
#include <map>
#include <set>
#include <utility>

namespace {
struct Contact {
  float x, depth;
  int feature;
};
struct Body {
  float mass, speed;
};
struct Pair {
  Contact contacts[2];
  int count;
  const Body *one, *other;
};
using Pairs = std::map<std::pair<const Body *, const Body *>, Pair>;
struct World {
  Pairs pairs;
  float gravity, drag;
  int steps;
};
} // namespace

static int collide(Contact *c, const float *x, int i) {
  int n = 0;
  for (int k = 0; k < 2; k++) {
    const float depth = x[i] - x[i + 1 + k];
    if (k && depth > 1)
      continue;
    c[n].x = x[i] * float(k) + x[i + 1];
    c[n].depth = depth;
    c[n].feature = i;
    n++;
  }
  return n;
}

static void update(Pair &p, const Contact *news, int n) {
  Contact merged[2];
  for (int i = 0; i < n; i++) {
    int k = -1;
    for (int j = 0; j < p.count; j++)
      if (news[i].feature == p.contacts[j].feature)
        k = j;
    merged[i] = news[i];
    if (k > -1)
      merged[i].depth = p.contacts[k].depth * news[i].depth;
  }
  for (int i = 0; i < n; i++)
    p.contacts[i] = merged[i];
  p.count = n;
}

static float step(Pairs &pairs, const Body *bodies, const float *x, int n, int step) {
  for (int i = 0; i < n - 2; i++) {
    Pair p;
    p.one = &bodies[i % 3], p.other = &bodies[(i + step) % 3];
    p.count = collide(p.contacts, x, i);
    const auto key = std::make_pair(p.one, p.other);
    const auto old = pairs.find(key);
    if (old == pairs.end())
      pairs.insert({key, p});
    else
      update(old->second, p.contacts, p.count);
  }
  float s = 0;
  for (auto &[key, p] : pairs)
    for (int k = 0; k < p.count; k++) {
      const Contact &c = p.contacts[k];
      s += c.x * c.depth * p.one->mass * p.other->speed * float(c.feature % 7);
    }
  return s;
}

static float alone(const float *x, int n) {
  Pairs pairs;
  const Body bodies[3] = {{x[0], 1}, {x[1], x[2]}, {2, x[0]}};
  float s = 0;
  for (int k = 0; k < 3; k++)
    s += step(pairs, bodies, x, n, k);
  return s;
}
GRADIENT_CHECK(records_in_map, Float, alone, In(float, 6), Int(6))

static float inWorld(const float *x, int n) {
  World w = {{}, x[0], x[1] * x[1], 3};
  const Body bodies[3] = {{x[0], 1}, {x[1], x[2]}, {2, x[0]}};
  float s = 0;
  for (int k = 0; k < w.steps; k++)
    s += w.gravity * step(w.pairs, bodies, x, n, k) + w.drag;
  return s;
}
GRADIENT_CHECK(records_in_world, Float, inWorld, In(float, 6), Int(6))

namespace {
struct Sample {
  float x[3];
  int id;
  float w;
};
struct ById {
  bool operator()(const Sample &a, const Sample &b) const { return a.id < b.id; }
};

Sample sampled(const float *a, int n, int i) {
  Sample s{{}, (i * 5) % 7, 0.5f + 0.25f * float(i % 3)};
  for (int d = 0; d < 3; ++d)
    s.x[d] = a[(i + d) % n] * float(d + 1);
  return s;
}

float weigh(const Sample &s, int k) {
  return float(k) * s.x[0] * s.x[1] * s.w + std::sin(s.x[2]) * float(s.id);
}
} // namespace

static float byKey(const float *a, int n) {
  std::map<int, Sample> all;
  for (int i = 0; i < n; ++i)
    all[(i * 5) % 7] = sampled(a, n, i);
  float sum = 0;
  int k = 1;
  for (auto &[key, s] : all)
    sum += weigh(s, k++);
  all.erase(5);
  const std::map<int, Sample> rest = all;
  for (auto &[key, s] : rest)
    sum += weigh(s, k++);
  return sum * float(rest.size());
}

GRADIENT_CHECK(records_by_key, Float, byKey, In(float, 6), Int(6))

static float ordered(const float *a, int n) {
  std::multiset<Sample, ById> all;
  for (int i = 0; i < n; ++i)
    all.insert(sampled(a, n, i));
  all.erase(all.begin());
  const std::multiset<Sample, ById> rest(all);
  float sum = 0;
  int k = 1;
  for (const Sample &s : rest)
    sum += weigh(s, k++);
  return sum * float(rest.size());
}

GRADIENT_CHECK(records_ordered, Float, ordered, In(float, 6), Int(6))

static float chained(const float *a, int n) {
  std::list<Sample> all;
  for (int i = 0; i < n; ++i) {
    all.push_front(sampled(a, n, i));
    all.back().x[i % 3] *= all.front().w;
  }
  all.sort(ById());
  all.pop_back();
  float sum = 0;
  int k = 1;
  for (const Sample &s : all)
    sum += s.x[0] * s.x[1] * float(k++) + s.x[2] * s.w;
  return sum * float(all.size());
}

GRADIENT_CHECK(records_chained, Float, chained, In(float, 6), Int(6))
