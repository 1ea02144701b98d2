// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers with room of their own, trees, and what algorithms move: arrays beside other members.
// Supports: structures with arrays between other members
#include "GradientCheck.h"
#include <algorithm>
#include <vector>

template <typename T, int N> struct MemberFixed {
  int size = 0;
  T data[N];
  T *end_ = nullptr;
  void push_back(const T &t) { data[size++] = t; }
  T &operator[](int i) { return data[i]; }
  const T *begin() const { return data; }
  const T *end() const { return data + size; }
};

static double fixed(const double *x, int n) {
  MemberFixed<double, 8> v;
  MemberFixed<const double *, 8> w;
  for (int i = 0; i < n; i++) {
    v.push_back(x[i] * x[i]);
    w.push_back(x + i);
  }
  double sum = 0;
  for (double d : v)
    sum += d;
  for (const double *p : w)
    sum += *p * v[w.size - 1];
  return sum;
}
GRADIENT_CHECK(fixed_vector, Double, fixed, In(double, 6), Int(6))

struct MemberNode {
  int id;
  MemberNode *child[4];
  double box[2], mass;
  int count;
};

__attribute__((noinline)) static double total(const MemberNode *t) {
  double sum = t->mass * t->box[t->id % 2];
  for (int i = 0; i < t->count; i++)
    sum += total(t->child[i]) * t->box[i % 2];
  return sum;
}

static MemberNode *build(const double *x, int depth, int id) {
  MemberNode *t = new MemberNode();
  t->id = id;
  t->box[0] = x[id % 4];
  t->box[1] = x[(id + 1) % 4] * x[id % 3];
  t->mass = x[(id + 2) % 4];
  if (depth)
    for (int i = 0; i < 1 + id % 3; i++)
      t->child[t->count++] = build(x, depth - 1, id + i + 1);
  return t;
}
static void drop(MemberNode *t) {
  for (int i = 0; i < t->count; i++)
    drop(t->child[i]);
  delete t;
}

static double tree(const double *x, int depth) {
  MemberNode *t = build(x, depth, 2);
  double sum = total(t);
  drop(t);
  return sum;
}
GRADIENT_CHECK(tree_of_nodes, Double, tree, In(double, 4), Int(3))

struct MemberPoint {
  int key;
  double at[3];
  const double *weight;
};

static double sorted(const double *x, int n) {
  std::vector<MemberPoint> v;
  for (int i = 0; i < n; i++)
    v.push_back({(i * 7) % n, {x[i], x[i] * x[0], 1}, x + i % 3});
  std::sort(v.begin(), v.end(),
            [](const MemberPoint &a, const MemberPoint &b) { return a.key < b.key; });
  std::vector<MemberPoint> w(v.rbegin(), v.rend());
  double sum = 0;
  for (unsigned i = 0; i < w.size(); i++)
    sum += w[i].at[i % 3] * *v[i].weight * (i + 1);
  return sum;
}
GRADIENT_CHECK(sorted_points, Double, sorted, In(double, 7), Int(7))

struct MemberParticle {
  double *force;
  struct {
    double x, v;
    int tag;
  } part[3];
  int used;
  float f[5];
  double last[2];
};
static double nested(const double *x, int n) {
  std::vector<MemberParticle> all(3);
  std::vector<double> force(4);
  for (int i = 0; i < n; i++) {
    MemberParticle &p = all[i % 3];
    p.force = &force[i % 4];
    p.part[i % 3].x = x[i];
    p.part[(i + 1) % 3].v = x[i] * x[i];
    p.part[i % 3].tag = i;
    p.last[i % 2] = x[n - 1 - i];
    p.used++;
    *p.force += p.part[i % 3].x * p.part[i % 3].v;
  }
  MemberParticle q = all[n % 3];
  all[0].part[1] = q.part[n % 2];
  double sum = 0;
  for (MemberParticle &p : all)
    for (int i = 0; i < 3; i++)
      sum += p.part[i].x * p.part[i].v + p.last[i % 2] * *p.force * p.part[i].tag;
  return sum;
}
GRADIENT_CHECK(arrays_of_structures_inside, Double, nested, In(double, 6), Int(6))

struct QuadMass {
  double x, y, m;
};
/// Behind the array lies a pointer that leads elsewhere.
struct Quad {
  double m = 0;
  Quad *child[4]{};
  const QuadMass *last = nullptr;
  float begin, width;
  Quad(float begin, float width) : begin(begin), width(width) {}
  void insert(const QuadMass *p, int depth) {
    const int q = p->x > begin + width;
    m += p->m;
    last = p;
    if (depth > 3)
      return;
    if (!child[q])
      child[q] = new Quad(begin + q * width, width * 0.5F);
    child[q]->insert(p, depth + 1);
  }
};
static double moment(const Quad *q) {
  double sum = q->m * q->last->y;
  for (int i = 0; i < 4; i++)
    if (q->child[i])
      sum += moment(q->child[i]);
  return sum;
}
static double masses(const double *x, int) {
  QuadMass p[8];
  for (int i = 0; i < 8; i++)
    p[i].x = x[3 * i], p[i].y = x[3 * i + 1], p[i].m = x[3 * i + 2];
  Quad root(-4, 8);
  for (int i = 0; i < 8; i++)
    root.insert(p + i, 0);
  return moment(&root);
}
GRADIENT_CHECK(pointer_behind_pointers, Double, masses, In(double, 24), Int(24))
