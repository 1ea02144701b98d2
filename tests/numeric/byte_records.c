// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A container of elements of any type, as C libraries have them: elements are copied as so many
// bytes to where the size of an element and an index lead. Messages that are written byte by byte.
// Supports: containers that copy elements as bytes (`void *` and a size)
// Supports: bytes of numbers that are copied by loops
#include "GradientCheck.h"

#include <stdlib.h>
#include <string.h>

struct vector {
  char *data;
  unsigned long size, count, most;
};

static void push(struct vector *v, const void *element) {
  if (v->count == v->most) {
    v->most = 2 * v->most + 1;
    v->data = (char *)realloc(v->data, v->most * v->size);
  }
  memcpy(v->data + v->size * v->count++, element, v->size);
}
static void *at(struct vector *v, int i) { return v->data + v->size * (unsigned long)i; }

struct record {
  int id;
  float weight;
  double value;
};

static float records(const float *x, int n) {
  struct vector v = {0, sizeof(struct record), 0, 0};
  for (int i = 0; i < n; ++i) {
    const struct record r = {n - i, x[i], (double)x[i] * (double)x[(i + 1) % n]};
    push(&v, &r);
    const struct record again = *(struct record *)at(&v, i / 2);
    push(&v, &again);
  }
  double sum = 0;
  for (unsigned long i = 0; i < v.count; ++i) {
    struct record r;
    memcpy(&r, at(&v, (int)i), v.size);
    sum += r.value * (double)(i + 1) + (double)(r.weight * (float)r.id);
  }
  for (unsigned long i = 0; i < v.count; ++i)
    sum += ((struct record *)at(&v, (int)i))->value;
  free(v.data);
  return (float)sum;
}
GRADIENT_CHECK(byte_records, Float, records, In(float, 6), Int(6))

static double numbers(const double *x, int n) {
  struct vector v = {0, sizeof(double), 0, 0};
  for (int i = 0; i < n; ++i) {
    const double square = x[i] * x[i];
    push(&v, &square);
    push(&v, &x[i]);
  }
  double sum = 0;
  for (unsigned long i = 0; i < v.count; ++i)
    sum += *(double *)at(&v, (int)i) * x[i / 2];
  free(v.data);
  return sum;
}
GRADIENT_CHECK(byte_records_numbers, Double, numbers, In(double, 6), Int(6))

// The same with loops instead of memcpy.
__attribute__((noinline)) static void copyBytes(void *to, const void *from, unsigned long size) {
  char *t = (char *)to;
  const char *f = (const char *)from;
  while (size--)
    *t++ = *f++;
}
static double rotated(const double *x, int n) {
  double y[8];
  copyBytes(y, x + n / 2, 4 * sizeof(double));
  copyBytes(y + 4, x, 4 * sizeof(double));
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * y[i] * y[i];
  return sum;
}
GRADIENT_CHECK(byte_records_rotated, Double, rotated, In(double, 8), Int(8))

static unsigned char *put(unsigned char *at, const void *from, int size) {
  for (int i = 0; i < size; ++i)
    *at++ = ((const unsigned char *)from)[i];
  return at;
}
static const unsigned char *get(const unsigned char *at, void *to, int size) {
  for (int i = 0; i < size; ++i)
    ((unsigned char *)to)[i] = *at++;
  return at;
}
static double message(const double *x, int n) {
  unsigned char bytes[256], *end = bytes;
  for (int i = 0; i < n; ++i) {
    const short weight = (short)(i + 1);
    const double square = x[i] * x[i];
    end = put(end, &weight, sizeof weight);
    end = put(end, &square, sizeof square);
  }
  double sum = 0;
  for (const unsigned char *at = bytes; at < end;) {
    short weight;
    double square;
    at = get(at, &weight, sizeof weight);
    at = get(at, &square, sizeof square);
    sum += weight * square;
  }
  return sum * x[0];
}
GRADIENT_CHECK(byte_records_message, Double, message, In(double, 6), Int(6))

static unsigned char mail[128];
static unsigned written, taken;
static void send(const void *from, unsigned size) {
  for (unsigned i = 0; i < size; ++i)
    mail[written + i] = ((const unsigned char *)from)[i];
  written += size;
}
static void receive(void *to, unsigned size) {
  for (unsigned i = 0; i < size; ++i)
    ((unsigned char *)to)[i] = mail[taken + i];
  taken += size;
}
static double mailed(const double *x, int n) {
  written = taken = 0;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double square = x[i] * x[i];
    send(&square, sizeof square);
  }
  for (int i = 0; i < n; ++i) {
    double square;
    receive(&square, sizeof square);
    sum += (i + 1) * square * square;
  }
  return sum;
}
GRADIENT_CHECK(byte_records_mailed, Double, mailed, In(double, 6), Int(6))

static unsigned char ring[64];
static double turned(const double *x, int n) {
  double sum = 0;
  memset(ring, 0, sizeof ring);
  unsigned in = 24, out = 0;
  for (int i = 0; i < 2 * n; ++i) {
    const double weighted = x[i % n] * (i + 1);
    for (unsigned k = 0; k < sizeof weighted; ++k)
      ring[(in + k) % sizeof ring] = ((const unsigned char *)&weighted)[k];
    in += sizeof weighted;
    double before;
    for (unsigned k = 0; k < sizeof before; ++k)
      ((unsigned char *)&before)[k] = ring[(out + k) % sizeof ring];
    out += sizeof before;
    sum += before * before;
  }
  return sum;
}
GRADIENT_CHECK(byte_records_turned, Double, turned, In(double, 6), Int(6))

// A container whose elements are copied, exchanged and shifted by loops that read its members again
// for every byte; the places may overlap.
struct shelf {
  struct vector *in;
};
static void put_in(struct shelf *to, const void *element) {
  if (to->in->count == to->in->most) {
    to->in->most = 2 * to->in->most + 1;
    to->in->data = (char *)realloc(to->in->data, to->in->most * to->in->size);
  }
  for (unsigned long i = 0; i < to->in->size; ++i)
    to->in->data[to->in->count * to->in->size + i] = ((const char *)element)[i];
  ++to->in->count;
}
static void exchange(char *a, char *b, unsigned long size) {
  do {
    const char c = *a;
    *a++ = *b;
    *b++ = c;
  } while (--size > 0);
}
static void exchange_down(void *a, void *b, unsigned long size) {
  while (size--) {
    const char c = ((char *)a)[size];
    ((char *)a)[size] = ((char *)b)[size];
    ((char *)b)[size] = c;
  }
}
static void move(char *to, const char *from, unsigned long size) {
  if (to < from)
    while (size--)
      *to++ = *from++;
  else
    while (size--)
      to[size] = from[size];
}
static double sorted(const double *x, int n) {
  struct vector v = {0, sizeof(struct record), 0, 0};
  struct shelf all = {&v};
  for (int i = 0; i < n; ++i) {
    const struct record r = {i, (float)i, x[i] * x[(i + 1) % n]};
    put_in(&all, &r);
  }
  for (int i = 1; i < n; ++i)
    for (int k = i;
         k > 0 && ((struct record *)at(&v, k))->value < ((struct record *)at(&v, k - 1))->value;
         --k)
      exchange(at(&v, k), at(&v, k - 1), v.size);
  exchange_down(at(&v, 0), at(&v, n - 2), 2 * v.size);
  move(at(&v, 2), at(&v, 1), 2 * v.size); // up by one, over itself
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += ((struct record *)at(&v, i))->value * (i + 1) * (((struct record *)at(&v, i))->id + 1);
  free(v.data);
  return sum;
}
GRADIENT_CHECK(byte_records_sorted, Double, sorted, In(double, 6), Int(6))

// Text may be repeated: a decoder copies what it has just written.
static int unpack(char *to, const char *from) {
  int n = 0;
  for (; *from; from += 3) {
    const int back = from[1] - '0', length = from[2] - '0';
    to[n++] = from[0];
    for (int i = 0; i < length; ++i)
      to[n + i] = to[n - back + i];
    n += length;
  }
  return n;
}
static double unpacked(const double *x, int n) {
  char text[80];
  const int length = unpack(text, "a10b11c37d45a18");
  double sum = 0;
  for (int i = 0; i < length; ++i)
    sum += (i + 1) * x[(text[i] - 'a') % n] * x[i % n];
  for (int i = 10; i-- > 0;) // downwards, and a constant distance
    text[i] = text[i + 2];
  for (int i = 0; i < 10; ++i)
    sum += x[(text[i] - 'a') % n] * (i + 2);
  return sum;
}
GRADIENT_CHECK(byte_records_unpacked, Double, unpacked, In(double, 5), Int(5))

// Nobody but the loop looks at what the members lead to.
struct pair {
  double *from, *to;
  int n;
};
static void copied(struct pair *p) {
  for (int i = 0; i < p->n * (int)sizeof(double); ++i)
    ((char *)p->to)[i] = ((char *)p->from)[i];
  for (int i = 0; i < p->n / 2; ++i)
    exchange((char *)(p->to + i), (char *)(p->to + p->n - 1 - i), sizeof(double));
}
static double copied_primal(void *const *v) {
  struct pair p = {(double *)v[0], (double *)v[1], 4};
  copied(&p);
  return 0;
}
void __enzyme_fwddiff_pair(void *, ...), __enzyme_autodiff_pair(void *, ...);
static double copied_tangent(void *const *v, void *const *d) {
  struct pair p = {(double *)v[0], (double *)v[1], 4}, dp = {(double *)d[0], (double *)d[1], 4};
  __enzyme_fwddiff_pair((void *)copied, enzyme_dup, &p, &dp);
  return 0;
}
static void copied_adjoint(void *const *v, void *const *d) {
  double zeros[4] = {0}; // what nobody looks at can be added to zeros only
  struct pair p = {(double *)v[0], (double *)v[1], 4}, dp = {zeros, (double *)d[1], 4};
  __enzyme_autodiff_pair((void *)copied, enzyme_dup, &p, &dp);
  for (int i = 0; i < 4; ++i)
    ((double *)d[0])[i] += zeros[i];
}
GRADIENT_CHECK_CUSTOM(byte_records_behind, Void, copied_primal, copied_tangent, copied_adjoint,
                      InOut(double, 4), InOut(double, 4))

/// The places of a ring are masked, and beside its bytes are counters, one of which goes down.
struct circle {
  unsigned char bytes[256];
  unsigned head, tail;
  int room;
};
static void turnIn(struct circle *c, const void *from, unsigned size) {
  memcpy(c->bytes + (c->head & 255), from, size);
  c->head += size;
  c->room -= (int)size;
}
static void turnOut(struct circle *c, void *to, unsigned size) {
  memcpy(to, c->bytes + (c->tail & 255), size);
  c->tail += size;
  c->room += (int)size;
}
static double turns(const double *x, int n) {
  struct circle *c = calloc(1, sizeof *c);
  double sum = 0;
  for (int k = 0; k < 10; ++k) {
    for (int i = 0; i < n; ++i) {
      const double square = k * x[i] * x[i];
      turnIn(c, &square, sizeof square);
    }
    for (int i = 0; i < n; ++i) {
      double square;
      turnOut(c, &square, sizeof square);
      sum += square * square + c->room;
    }
  }
  free(c);
  return sum * x[0];
}
GRADIENT_CHECK(byte_records_turns, Double, turns, In(double, 7), Int(7))
