// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How C programs lay numbers out: packed records, messages, tagged unions, intrusive lists, tagged
// pointers, bit-fields beside doubles, pointers to pointers, strides, volatile and atomic
// variables.
// Supports: packed records, bit-fields, tagged unions and pointers, alignment by hand
#include "GradientCheck.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct __attribute__((packed)) Packed {
  char tag;
  double value;
  short code;
  float weight;
};
static double packed(const double *x, int n) {
  struct Packed p[6];
  double s = 0;
  for (int i = 0; i < n; i++)
    p[i] = (struct Packed){(char)i, x[i] * x[i], (short)(i * 3), (float)(i + 1)};
  for (int i = 0; i < n; i++)
    s += p[i].value * p[(i + 1) % n].value * p[i].tag + p[i].weight * p[i].value;
  return s;
}

struct Flags {
  unsigned kind : 3, active : 1, level : 12;
  double value;
  int : 5;
  int delta : 7;
};
static double bitFields(const double *x, int n) {
  struct Flags f[6];
  double s = 0;
  for (int i = 0; i < n; i++) {
    f[i].kind = (unsigned)i & 7;
    f[i].active = x[i] > 0.8;
    f[i].level = (unsigned)i * 9;
    f[i].delta = -i;
    f[i].value = x[i] * (f[i].active ? 2 : 3);
  }
  for (int i = 0; i < n; i++)
    s += f[i].active ? f[i].value * f[i].value * f[i].kind : f[i].value * (f[i].level + f[i].delta);
  return s;
}

// A message: a header of integers, then doubles, in bytes.
static size_t pack(unsigned char *to, int id, const double *v, int n) {
  memcpy(to, &id, sizeof id);
  memcpy(to + 4, &n, sizeof n);
  memcpy(to + 8, v, (size_t)n * sizeof *v);
  return 8 + (size_t)n * sizeof *v;
}
static double messages(const double *x, int n) {
  unsigned char *buffer = malloc(512), *end = buffer;
  double s = 0;
  for (int i = 1; i < n; i++)
    end += pack(end, i, x + i - 1, 2);
  for (unsigned char *at = buffer; at < end;) {
    int id, count;
    memcpy(&id, at, sizeof id);
    memcpy(&count, at + 4, sizeof count);
    const double *v = (const double *)(at + 8);
    for (int k = 0; k < count; k++)
      s += id * v[k] * v[0];
    at += 8 + (size_t)count * sizeof *v;
  }
  free(buffer);
  return s;
}

enum Kind { Number, Text, Pair };
struct Value {
  enum Kind kind;
  union {
    double number;
    const char *text;
    struct {
      float a, b;
    } pair;
  };
};
static double tagged(const double *x, int n) {
  struct Value v[6];
  double s = 0;
  for (int i = 0; i < n; i++)
    switch (i % 3) {
    case 0:
      v[i] = (struct Value){.kind = Number, .number = x[i] * x[0]};
      break;
    case 1:
      v[i] = (struct Value){.kind = Text, .text = "abc"};
      break;
    default:
      v[i] = (struct Value){.kind = Pair, .pair = {2, 3}};
    }
  for (int i = 0; i < n; i++)
    s += v[i].kind == Number ? v[i].number * v[i].number
         : v[i].kind == Text ? (double)strlen(v[i].text) * x[i]
                             : v[i].pair.a * x[i];
  return s;
}

struct Hook {
  struct Hook *next;
};
struct Item {
  double value;
  struct Hook hook;
  int id;
};
#define ITEM(h) ((struct Item *)((char *)(h) - offsetof(struct Item, hook)))
static double intrusive(const double *x, int n) {
  struct Item items[8];
  struct Hook head = {NULL}, *last = &head;
  double s = 0;
  for (int i = 0; i < n; i++) {
    items[i] = (struct Item){x[i] * x[i], {NULL}, i};
    last->next = &items[i].hook;
    last = last->next;
  }
  for (struct Hook *h = head.next; h; h = h->next)
    s = s * 0.7 + ITEM(h)->value * (ITEM(h)->id + 1);
  return s;
}

static double taggedPointers(const double *x, int n) {
  double *boxes[6], s = 0;
  uintptr_t words[6];
  for (int i = 0; i < n; i++) {
    boxes[i] = malloc(sizeof(double));
    *boxes[i] = x[i] * x[i];
    words[i] = (uintptr_t)boxes[i] | (uintptr_t)(i & 1);
  }
  for (int i = 0; i < n; i++) {
    double *p = (double *)(words[i] & ~(uintptr_t)1);
    s += words[i] & 1 ? *p : 2 * *p * x[0];
  }
  for (int i = 0; i < n; i++)
    free(boxes[i]);
  return s;
}

// Memory aligned by hand, the address to free in front of it.
static double *alignedTo(size_t bytes, int alignment) {
  char *raw = malloc(bytes + (size_t)alignment + sizeof raw);
  uintptr_t at = (uintptr_t)raw + sizeof raw + (uintptr_t)alignment - 1;
  void **aligned = (void **)(at & ~((uintptr_t)alignment - 1));
  aligned[-1] = raw;
  return (double *)aligned;
}
static double alignedByHand(const double *x, int n, int alignment) {
  double *a = alignedTo((size_t)n * sizeof *a, 64),
         *b = alignedTo((size_t)n * sizeof *b, alignment);
  double s = 0;
  for (int i = 0; i < n; i++)
    b[i] = (a[i] = x[i] * x[0]) * x[i];
  for (int i = 0; i < n; i++)
    s += a[i] * b[n - 1 - i];
  free(((void **)a)[-1]);
  free(((void **)b)[-1]);
  return s;
}

static double rows(const double *x, int n) {
  double **a = malloc((size_t)n * sizeof *a), ***all = &a, s = 0;
  for (int i = 0; i < n; i++) {
    (*all)[i] = calloc((size_t)n, sizeof **a);
    for (int j = 0; j <= i; j++)
      a[i][j] = x[i] * x[j];
  }
  double *t = a[0];
  a[0] = a[n - 1];
  a[n - 1] = t;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += a[i][j] * (i + 2 * j);
  for (int i = 0; i < n; i++)
    free(a[i]);
  free(a);
  return s;
}

static double strided(const double *base, ptrdiff_t step, int n) {
  double s = 0;
  for (int i = 0; i < n; i++, base += step)
    s = s * 0.5 + *base * *base;
  return s;
}
static double strides(const double *x, int n) {
  return strided(x, 2, n / 2) * strided(x + n - 1, -1, n) + strided(x + 1, 0, 3);
}

static double cubeOf(double a[2][3][4], int i) {
  double s = 0;
  for (int j = 0; j < 3; j++)
    for (int k = 0; k < 4; k++)
      s += a[i][j][k] * a[1 - i][2 - j][k];
  return s;
}
static double arrays3(const double *x, int n) {
  double a[2][3][4], (*half)[4] = a[1];
  for (int i = 0; i < 24; i++)
    (&a[0][0][0])[i] = x[i % n] * (i + 1);
  half[2][1] *= x[0];
  return cubeOf(a, 0) + cubeOf(a, 1) * half[0][3];
}

static double volatiles(const double *x, int n) {
  volatile double s = 0;
  volatile int stop = n;
  for (int i = 0; i < stop; i++)
    s = s * 0.9 + x[i] * x[i];
  return s;
}

static double buffer_[8], *cursor = buffer_;
static double globalCursor(const double *x, int n) {
  cursor = buffer_;
  for (int i = 0; i < n; i++)
    *cursor++ = x[i] * x[0];
  double s = 0;
  while (cursor != buffer_)
    s = s * 0.8 + *--cursor;
  return s;
}

struct Model {
  int n;
  double *rate, *level;
  struct {
    double low, high;
  } bounds[2];
  const char *name;
};
static struct Model *create(const double *x, int n) {
  struct Model *m = malloc(sizeof *m);
  m->n = n;
  m->rate = malloc((size_t)n * sizeof *m->rate * 2);
  m->level = m->rate + n;
  m->name = "model";
  for (int i = 0; i < n; i++) {
    m->rate[i] = x[i];
    m->level[i] = x[i] * x[n - 1 - i];
  }
  m->bounds[0].low = x[0];
  m->bounds[1].high = x[1] * 3;
  return m;
}
static double handles(const double *x, int n) {
  void *handle = create(x, n);
  struct Model copy = *(struct Model *)handle, *m = &copy;
  double s = 0;
  for (int i = 0; i < m->n; i++)
    s += m->rate[i] * m->level[i] + (m->level[i] > m->bounds[0].low ? m->bounds[1].high : 0);
  free(m->rate);
  free(handle);
  return s + (double)strlen(copy.name);
}

static int byWeight(const void *a, const void *b) {
  double x = ((const struct Item *)a)->value, y = ((const struct Item *)b)->value;
  return x < y ? -1 : x > y;
}
static double sortedRecords(const double *x, int n) {
  struct Item items[8];
  double s = 0;
  for (int i = 0; i < n; i++)
    items[i] = (struct Item){x[i] * 2, {NULL}, i};
  qsort(items, (size_t)n, sizeof *items, byWeight);
  for (int i = 0; i < n; i++)
    s += items[i].value * (i + 1) * x[items[i].id];
  return s;
}

static double formatted(const double *x, int n) {
  char line[64];
  int index = 0;
  double s = 0, factor = 0;
  for (int i = 0; i < n; i++) {
    snprintf(line, sizeof line, "%d,%g", i, 0.5 * i);
    if (sscanf(line, "%d,%lf", &index, &factor) == 2)
      s += factor * x[index] * x[0] + atof("0.25") * x[index];
  }
  char words[] = "1;2;4", *state = NULL;
  for (char *w = strtok_r(words, ";", &state); w; w = strtok_r(NULL, ";", &state))
    s += atoi(w) * x[atoi(w) % n];
  return s;
}

static double moved(double *x, int n) {
  memmove(x + 1, x, (size_t)(n - 1) * sizeof *x);
  x[0] = x[1] * x[2];
  memmove(x, x + 2, 2 * sizeof *x);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * x[i] * (i + 1);
  return s;
}

GRADIENT_CHECK(layouts_packed, Double, packed, In(double, 6), Int(6))
GRADIENT_CHECK(layouts_bit_fields, Double, bitFields, In(double, 6), Int(6))
GRADIENT_CHECK(layouts_messages, Double, messages, In(double, 6), Int(6))
GRADIENT_CHECK(layouts_tagged, Double, tagged, In(double, 6), Int(6))
GRADIENT_CHECK(layouts_intrusive, Double, intrusive, In(double, 7), Int(7))
GRADIENT_CHECK(layouts_tagged_pointers, Double, taggedPointers, In(double, 5), Int(5))
GRADIENT_CHECK(layouts_aligned, Double, alignedByHand, In(double, 5), Int(5), Int(256))
GRADIENT_CHECK(layouts_rows, Double, rows, In(double, 5), Int(5))
GRADIENT_CHECK(layouts_strides, Double, strides, In(double, 8), Int(8))
GRADIENT_CHECK(layouts_arrays3, Double, arrays3, In(double, 7), Int(7))
GRADIENT_CHECK(layouts_volatile, Double, volatiles, In(double, 5), Int(5))
GRADIENT_CHECK(layouts_global_cursor, Double, globalCursor, In(double, 7), Int(7))
GRADIENT_CHECK(layouts_handles, Double, handles, In(double, 5), Int(5))
GRADIENT_CHECK(layouts_sorted_records, Double, sortedRecords, In(double, 7), Int(7))
GRADIENT_CHECK(layouts_formatted, Double, formatted, In(double, 5), Int(5))
GRADIENT_CHECK(layouts_moved, Double, moved, InOut(double, 6), Int(6))

// Members that are chosen at run time make one place of all, flags among numbers too.
struct Resonant {
  struct {
    unsigned resonant : 1, synchronous : 1;
  } flags;
  double a, b, c, d;
};

static const int members[] = {1, 2, 4};

__attribute__((noinline)) static void choose(struct Resonant *d, double x, int i) {
  d->flags.resonant = 0;
  d->flags.synchronous = 0;
  ((double *)d)[members[i % 3]] *= x;
  if (x > 0.5) {
    d->flags.resonant = 1;
    d->a = x * d->b;
  } else {
    d->flags.synchronous = 1;
    d->c += x * d->b;
  }
}

static double flagged(const double *x, int n) {
  struct Resonant *d = malloc(sizeof *d);
  double sum = 0;
  d->a = x[0];
  d->b = x[1];
  d->c = x[2] * x[3];
  d->d = 1;
  for (int i = 0; i < n; ++i) {
    choose(d, x[i], i);
    sum += d->flags.resonant ? d->a * x[i] : d->c;
    sum += d->flags.synchronous * d->d;
  }
  free(d);
  return sum;
}
GRADIENT_CHECK(layouts_flags, Double, flagged, In(double, 5), Int(5))

// Bit fields that come first, and a union of two kinds of numbers behind them.
struct Message {
  unsigned kind : 3;
  unsigned length : 13;
  int step : 6;
  union {
    double d;
    struct {
      float a, b;
    } f;
    int i;
  } u;
  double tail[];
};

static float firstFields(const float *x, int n) {
  float s = 0;
  for (int k = 0; k < 3; k++) {
    struct Message *m = malloc(sizeof *m + n * sizeof(double));
    m->kind = k;
    m->length = n;
    m->step = k + 1;
    if (k == 0)
      m->u.d = x[0] * x[1];
    else if (k == 1)
      m->u.f.a = x[2], m->u.f.b = 2;
    else
      m->u.i = 7;
    for (unsigned i = 0; i < m->length; i++)
      m->tail[i] = x[i] * m->step;
    struct Message *c = malloc(sizeof *c + n * sizeof(double));
    memcpy(c, m, sizeof *m + n * sizeof(double));
    free(m);
    s += c->tail[1] * (c->kind == 0 ? c->u.d : c->kind == 1 ? c->u.f.a * c->u.f.b : c->u.i);
    for (unsigned i = 0; i < c->length; i++)
      s += c->tail[i] * c->tail[i];
    free(c);
  }
  return s;
}

GRADIENT_CHECK(first_bit_fields, Float, firstFields, In(float, 4), Int(4))

/* Arrays of structures of which one variable consists: an index leads into an array of any. */
typedef struct {
  int n;
  double values[6];
  float scales[3];
  struct {
    long k;
    double z;
  } last;
} Sample;

static double copiedTwice(const double *x, int n) {
  Sample one = {.n = n};
  for (int i = 0; i < n; i++)
    one.values[i] = x[i];
  one.scales[1] = 2;
  Sample both[2] = {one, one};
  Sample *p = both;
  double s = 0;
  for (int i = 0; i < n; i++)
    s += p[0].values[i] * p[1].values[i] * p[0].scales[1];
  return s;
}

GRADIENT_CHECK(structures_copied_twice, Double, copiedTwice, In(double, 6), Int(5))

/// Packed rows of floats beside doubles, of which an index finds some: in a block that holds copies
/// of them, nobody names their numbers.
struct __attribute__((packed)) Entry {
  double value;
};
struct __attribute__((packed)) Row {
  struct Entry entries[2];
  float weight;
};
struct __attribute__((packed)) Head {
  union {
    double number;
    long code;
  } of;
  double factor;
  long key;
};
struct Block {
  struct Head head;
  struct Row rows[2];
};
static void fillRow(struct Row *row, const float *x, int n, int i) {
  for (int q = 0; q < 2; ++q)
    row->entries[q].value = x[(i + 2) % n] * x[i % n];
  row->weight = x[(i + 4) % n] * x[(i + 1) % n];
}
static void fillHead(struct Head *head, const float *x) {
  head->of.number = x[0];
  head->factor = x[1];
  head->key = 12;
}
static double foldHead(const struct Head *head) {
  return head->of.number * head->factor * (double)(head->key % 7);
}
static struct Row emptyRows[6];
static float packedBlocks(const float *x, int n) {
  struct Row *rows = calloc(6, sizeof *rows), *empty = emptyRows;
  for (int i = 0; i < 6; ++i)
    fillRow(&rows[i], x, n, i);
  struct Block *blocks = calloc(2, sizeof *blocks);
  fillHead(&blocks[0].head, x);
  blocks[0].rows[0] = empty[1];
  blocks[1] = blocks[0];
  memcpy(&rows[1], blocks[1].rows, sizeof blocks[1].rows);
  float sum = (float)foldHead(&blocks[1].head);
  for (int i = 0; i < 6; ++i)
    sum = 0.7F * sum + rows[i].weight * (float)(i + 1);
  free(rows);
  free(blocks);
  return sum;
}
GRADIENT_CHECK(layouts_packed_blocks, Float, packedBlocks, In(float, 6), Int(6))

/// The same of doubles beside a count, in a block whose head has no number of its own.
struct __attribute__((packed)) Counted {
  struct Entry entries[2];
  int count;
};
struct __attribute__((packed)) Title {
  union {
    int number;
    long code;
  } of;
  long factor;
};
struct CountedBlock {
  struct Title title;
  struct Counted rows[2];
};
static void fillTitle(struct Title *title) {
  title->of.number = 3;
  title->factor = 2;
}
static double foldTitle(const struct Title *title) {
  return (double)(title->of.number * title->factor);
}
static void fillCounted(struct Counted *row, const double *x, int n, int i) {
  for (int q = 0; q < 2; ++q)
    row->entries[q].value = x[(i + 2 * q) % n] * x[i % n];
  row->count = i;
}
static struct Counted emptyCounted[6];
static double packedCounts(const double *x, int n) {
  struct Counted *rows = calloc(6, sizeof *rows), *empty = emptyCounted;
  for (int i = 0; i < 6; ++i)
    fillCounted(&rows[i], x, n, i);
  struct CountedBlock *blocks = calloc(2, sizeof *blocks);
  fillTitle(&blocks[0].title);
  blocks[0].rows[0] = empty[1];
  blocks[0].rows[1] = rows[4];
  blocks[1] = blocks[0];
  memcpy(&rows[1], blocks[1].rows, sizeof blocks[1].rows);
  double sum = foldTitle(&blocks[1].title);
  for (int i = 0; i < 6; ++i)
    sum = 0.7 * sum + rows[i].entries[i % 2].value * (rows[i].count + 1);
  free(rows);
  free(blocks);
  return sum;
}
GRADIENT_CHECK(layouts_packed_counts, Double, packedCounts, In(double, 6), Int(6))
