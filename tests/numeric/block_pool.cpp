// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of several classes in blocks of one pool, which is a list through the free blocks: what
// is a flag in one class is a number or a pointer in another.
// Supports: pools of blocks for objects of several classes, with flags that are set and cleared
#include "GradientCheck.h"
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr int BlockSize = 32, ChunkSize = 2048;

struct Block {
  Block *next;
};

/// Blocks of multiples of 32 bytes.
class Pool {
  Block *free_[8] = {};
  char *chunks[32];
  int count = 0;

public:
  Pool() = default;
  Pool(const Pool &) = delete;
  ~Pool() {
    for (int i = 0; i < count; i++)
      std::free(chunks[i]);
  }
  void *allocate(int size) {
    const int kind = (size - 1) / BlockSize, width = BlockSize * (kind + 1);
    if (Block *found = free_[kind]) {
      free_[kind] = found->next;
      return found;
    }
    char *chunk = static_cast<char *>(std::malloc(ChunkSize));
    chunks[count++] = chunk;
    const int blocks = ChunkSize / width;
    for (int i = 0; i < blocks; i++) {
      Block *block = reinterpret_cast<Block *>(chunk + i * width);
      block->next = i + 1 < blocks ? reinterpret_cast<Block *>(chunk + (i + 1) * width) : nullptr;
    }
    free_[kind] = reinterpret_cast<Block *>(chunk)->next;
    return chunk;
  }
  void release(void *p, int size) {
    Block *block = static_cast<Block *>(p);
    block->next = free_[(size - 1) / BlockSize];
    free_[(size - 1) / BlockSize] = block;
  }
};

enum Flags { Awake = 1, Touching = 4 };

struct Vec {
  double x, y;
};
struct Path {
  Vec before, now;
  double angle;
};
struct Body {
  uint16_t flags;
  int kind;
  Vec place, speed;
  double mass;
  Path path;
  Body *next;
};
struct Contact {
  Contact *prev, *next;
  Body *a, *b;
  uint32_t flags;
  double friction, impulse;
  Vec normal;
  double slop;
};

struct World {
  Pool pool;
  Body *bodies = nullptr;
  Contact *contacts = nullptr;

  void add(Vec place, Vec speed, double mass) {
    Body *b = new (pool.allocate(sizeof(Body))) Body;
    *b = {Awake, 2, place, speed, mass, {place, place, 0}, bodies};
    bodies = b;
  }
  void touch(Body *a, Body *b) {
    const double dx = b->place.x - a->place.x, dy = b->place.y - a->place.y;
    const double d = std::sqrt(dx * dx + dy * dy);
    if (d >= 2)
      return;
    Contact *c = new (pool.allocate(sizeof(Contact))) Contact;
    c->prev = nullptr;
    c->next = contacts;
    if (contacts)
      contacts->prev = c;
    contacts = c;
    c->a = a;
    c->b = b;
    c->flags = Awake;
    c->friction = 0.3;
    c->impulse = (2 - d) * a->mass * b->mass / (a->mass + b->mass);
    c->normal = {dx / d, dy / d};
    c->slop = 0.1 * d;
    a->flags |= Touching;
    b->flags |= Touching;
  }
  void solve() {
    for (Contact *c = contacts; c; c = c->next) {
      if (!(c->flags & Awake))
        continue;
      const double j = c->impulse + c->slop * c->friction;
      c->a->speed.x -= j * c->normal.x / c->a->mass;
      c->a->speed.y -= j * c->normal.y / c->a->mass;
      c->b->speed.x += j * c->normal.x / c->b->mass;
      c->b->speed.y += j * c->normal.y / c->b->mass;
      c->flags &= ~uint32_t(Awake);
    }
    while (contacts) {
      Contact *next = contacts->next;
      pool.release(contacts, sizeof(Contact));
      contacts = next;
    }
  }
  void step(double h) {
    for (Body *a = bodies; a; a = a->next)
      for (Body *b = a->next; b; b = b->next)
        touch(a, b);
    solve();
    for (Body *b = bodies; b; b = b->next) {
      Path path = b->path;
      path.before = path.now;
      path.now.x += h * b->speed.x;
      path.now.y += h * b->speed.y;
      path.angle += b->flags & Touching ? h * b->speed.y : 0;
      b->path = path;
      b->place = path.now;
      b->flags &= ~Touching;
    }
  }
};

double world(const double *x, int steps) {
  World w;
  w.add({0.1 * x[0], 0.1 * x[1]}, {x[2], 0}, 1.5 + 0.5 * std::sin(x[3]));
  w.add({1.4, 0.2}, {-0.5, 0.1 * x[4]}, 1.3);
  w.add({2.6, 0.3}, {0, x[5]}, 0.7);
  for (int i = 0; i < steps; i++)
    w.step(0.05);
  double s = 0;
  for (const Body *b = w.bodies; b; b = b->next)
    s += b->place.x * b->mass + 2 * b->place.y * b->speed.x + b->path.angle;
  return s;
}

/// Of one size, and in single precision: the flags of one class are half a word, as the numbers of
/// the other are.
struct Grain {
  Grain *next;
  float mass;
  uint32_t flags;
  float heat, speed;
};
struct Drop {
  Drop *next;
  float mass, volume, heat;
};
double mixture(const float *x, int n) {
  Pool pool;
  Grain *grains = nullptr;
  Drop *drops = nullptr;
  for (int i = 0; i < n; i++) {
    Grain *g = new (pool.allocate(sizeof(Grain))) Grain;
    g->next = grains;
    g->mass = 1 + x[i] * x[i];
    g->flags = Awake;
    g->heat = x[(i + 1) % n];
    g->speed = 0.5f;
    grains = g;
    Drop *d = new (pool.allocate(sizeof(Drop))) Drop;
    d->next = drops;
    d->mass = 2 + x[i];
    d->volume = 1.5f * g->mass;
    d->heat = x[i] * g->heat;
    drops = d;
  }
  for (int round = 0; round < 3; round++) {
    Drop *d = drops;
    for (Grain *g = grains; g && d; g = g->next, d = d->next) {
      if (g->flags & Touching)
        d->volume *= 1 + 0.1f * g->mass;
      if (d->volume > 1)
        g->flags |= Touching;
      else
        g->flags &= ~uint32_t(Awake);
      g->heat += 0.1f * (d->heat - g->heat) * d->mass;
      d->mass += 0.05f * g->heat;
    }
    Grain *first = grains;
    grains = first->next;
    pool.release(first, sizeof(Grain));
  }
  double s = 0;
  for (const Grain *g = grains; g; g = g->next)
    s += double(g->heat) * g->mass * (g->flags & Awake ? 1 : 2);
  for (const Drop *d = drops; d; d = d->next)
    s += double(d->mass) * d->volume;
  return s;
}

} // namespace

GRADIENT_CHECK(block_pool_mixture, Double, mixture, In(float, 6), Int(6))
GRADIENT_CHECK(block_pool_world, Double, world, In(double, 6), Int(6))
