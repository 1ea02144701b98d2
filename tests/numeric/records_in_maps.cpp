// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of records in the nodes of a map, beside addresses: the map's own head, of which its
// nodes' addresses lead to as well, is no node, and arrays stay in their places. Where members of
// an object lie behind the head, nothing is in its place, and what a word of a record holds is seen
// when it is copied.
// Supports: arrays of structures in the values of a `std::map`
#include "GradientCheck.h"
#include <map>
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
