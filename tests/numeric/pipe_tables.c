// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipes in C: a stage is a pipe, holds its buffers, which are pipes, and calls them through a
// pointer to a pipe: by a constant table of functions, or by addresses in the object itself. Only
// what is stored tells a buffer within a stage from the stage.
// Supports: structures with functions of their own that hold others by value
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

struct pipe;
struct methods {
  float *(*begin)(struct pipe *);
  void (*put)(struct pipe *, const float *, unsigned);
  unsigned (*take)(struct pipe *, float *, unsigned);
  unsigned (*count)(const struct pipe *);
};
struct pipe {
  const struct methods *table;
  struct methods own;
};

struct buffer {
  struct pipe base;
  float *data, *block;
  unsigned capacity, used, at;
};

static void reserve(struct buffer *b, unsigned n) {
  if (n > b->capacity) {
    const unsigned size = (n + 15) & ~15u;
    float *fresh = malloc((size + 1) * sizeof *fresh);
    if (b->used)
      memcpy(fresh + 1, b->data + b->at, b->used * sizeof *fresh);
    free(b->block);
    b->block = fresh;
    b->data = fresh + 1;
    b->capacity = size;
    b->at = 0;
  } else if (b->at) {
    memmove(b->data, b->data + b->at, b->used * sizeof *b->data);
    b->at = 0;
  }
}

static float *end_of(struct buffer *b, unsigned more) {
  reserve(b, b->used + more);
  return b->data + b->used;
}

static void drop(struct buffer *b, unsigned n) {
  b->used -= n;
  b->at += n;
}

static float *buffer_begin(struct pipe *p) {
  struct buffer *b = (struct buffer *)p;
  return b->data + b->at;
}
static void buffer_put(struct pipe *p, const float *x, unsigned n) {
  struct buffer *b = (struct buffer *)p;
  memcpy(end_of(b, n), x, n * sizeof *x);
  b->used += n;
}
static unsigned buffer_take(struct pipe *p, float *out, unsigned n) {
  struct buffer *b = (struct buffer *)p;
  n = n > b->used ? b->used : n;
  memcpy(out, buffer_begin(p), n * sizeof *out);
  drop(b, n);
  return n;
}
static unsigned buffer_count(const struct pipe *p) { return ((const struct buffer *)p)->used; }
static const struct methods of_buffers = {buffer_begin, buffer_put, buffer_take, buffer_count};

static void make_buffer(struct buffer *b) {
  memset(b, 0, sizeof *b);
  b->base.table = &of_buffers;
  b->base.own = of_buffers;
  reserve(b, 16);
}

struct rate {
  struct pipe base;
  struct pipe *output;
  struct buffer in, mid, out;
  double step, fraction;
};

static float *rate_begin(struct pipe *p) {
  struct pipe *o = ((struct rate *)p)->output;
  return o->own.begin(o);
}
static unsigned rate_take(struct pipe *p, float *out, unsigned n) {
  struct pipe *o = ((struct rate *)p)->output;
  return o->table->take(o, out, n);
}
static unsigned rate_count(const struct pipe *p) {
  const struct pipe *o = ((const struct rate *)p)->output;
  return o->own.count(o);
}
static void rate_put(struct pipe *p, const float *x, unsigned n) {
  struct rate *r = (struct rate *)p;
  buffer_put(&r->in.base, x, n);
  buffer_put(&r->mid.base, buffer_begin(&r->in.base), r->in.used);
  drop(&r->in, r->in.used);
  const unsigned have = r->mid.used;
  float *to = end_of(&r->out, 2 * have), *from = buffer_begin(&r->mid.base);
  unsigned made = 0, k = 0;
  while (k + 1 < have) {
    to[made++] = (float)((1 - r->fraction) * from[k] + r->fraction * from[k + 1]);
    r->fraction += r->step;
    const int whole = (int)r->fraction;
    r->fraction -= whole;
    k += whole;
  }
  r->out.used += made;
  drop(&r->mid, k < have ? k : have);
}
static const struct methods of_rates = {rate_begin, rate_put, rate_take, rate_count};

static double resampled(const float *x, int n) {
  struct rate *r = calloc(1, sizeof *r);
  r->base.table = &of_rates;
  r->base.own = of_rates;
  make_buffer(&r->in);
  make_buffer(&r->mid);
  make_buffer(&r->out);
  r->output = &r->out.base;
  r->step = 1.23;
  struct pipe *p = &r->base;
  for (int i = 0; i < n; i += 10)
    (i % 20 ? p->table->put : p->own.put)(p, x + i, 10);
  float out[8];
  double s = p->own.count(p) + p->table->begin(p)[0];
  for (unsigned k; (k = p->table->take(p, out, 8)) > 0;)
    for (unsigned i = 0; i < k; ++i)
      s = 0.9 * s + out[i] * out[i];
  free(r->in.block);
  free(r->mid.block);
  free(r->out.block);
  free(r);
  return s;
}

GRADIENT_CHECK_BOUND(1e-3, pipes_resampled, Double, resampled, In(float, 40), Int(40))
