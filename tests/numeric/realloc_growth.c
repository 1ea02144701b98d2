// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A growing array: realloc from null, growing, shrinking; rows of pointers that grow as well; bytes
// that hold numbers of all widths.
// Supports: `realloc`, `qsort`, `bsearch`
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

static double grow(const double *x, double a, int n) {
  double *v = NULL;
  double **rows = NULL;
  int capacity = 0;
  for (int i = 0; i < n; ++i) {
    if (i == capacity) {
      capacity = capacity ? 2 * capacity : 2;
      v = realloc(v, capacity * sizeof *v);
      rows = realloc(rows, capacity * sizeof *rows);
    }
    v[i] = x[i] * a;
    rows[i] = malloc(sizeof(double));
    *rows[i] = x[i] * x[i];
    v[i / 2] *= 1.5;
  }
  v = realloc(v, n * sizeof *v);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += v[i] * v[i] * *rows[i];
    free(rows[i]);
  }
  free(rows);
  free(v);
  return s;
}

struct Buffer {
  unsigned char *bytes;
  size_t size, room;
};

static void put(struct Buffer *b, const void *value, size_t size) {
  if (b->size + size > b->room) {
    b->room = 2 * b->room + size;
    b->bytes = realloc(b->bytes, b->room);
  }
  memcpy(b->bytes + b->size, value, size);
  b->size += size;
}

static void get(const struct Buffer *b, size_t *at, void *value, size_t size) {
  memcpy(value, b->bytes + *at, size);
  *at += size;
}

static double message(const double *x, const float *w, int n) {
  struct Buffer b = {0};
  for (int i = 0; i < n; ++i) {
    unsigned char tag = i % 3;
    put(&b, &tag, sizeof tag);
    if (tag == 0)
      put(&b, &x[i], sizeof *x);
    else if (tag == 1)
      put(&b, &w[i], sizeof *w);
    else
      put(&b, &i, sizeof i);
  }
  double sum = 0;
  for (size_t at = 0; at < b.size;) {
    unsigned char tag;
    double number;
    float weight;
    int count;
    get(&b, &at, &tag, sizeof tag);
    if (tag == 0) {
      get(&b, &at, &number, sizeof number);
      sum += number * number;
    } else if (tag == 1) {
      get(&b, &at, &weight, sizeof weight);
      sum *= 1 + weight;
    } else {
      get(&b, &at, &count, sizeof count);
      sum += count;
    }
  }
  free(b.bytes);
  return sum;
}

GRADIENT_CHECK(realloc_growth, Double, grow, In(double, 9), Scalar(double), Int(9))
GRADIENT_CHECK(realloc_message, Double, message, In(double, 8), In(float, 8), Int(8))

/// The numbers of a header lie where an index into the array behind it might lead.
struct ListHeader {
  size_t length, room;
};
static double *append(double *list, double value) {
  struct ListHeader *h = list ? (struct ListHeader *)list - 1 : NULL;
  if (!h || h->length == h->room) {
    const size_t room = h ? 2 * h->room : 2, length = h ? h->length : 0;
    h = realloc(h, sizeof *h + room * sizeof(double));
    h->length = length;
    h->room = room;
  }
  double *d = (double *)(h + 1);
  d[h->length++] = value;
  return d;
}
static double headed(const double *x, int n) {
  double *list = NULL;
  for (int i = 0; i < n; ++i)
    list = append(list, x[i] * x[n - 1 - i]);
  struct ListHeader *h = (struct ListHeader *)list - 1;
  h->room += (h->room + 8) * h->length; // of bytes, say
  double sum = list[h->room % 3];
  for (size_t i = 0; i < h->length; ++i)
    sum += list[i] * (i + 1);
  free(h);
  return sum;
}
GRADIENT_CHECK(list_with_header, Double, headed, In(double, 6), Int(6))

// Arrays that grow have how long they are in front of their elements.
struct header {
  size_t length, room;
};
static struct header *header_of(void *array) { return (struct header *)array - 1; }
static void *with_room(void *array, size_t size) {
  struct header *h = array ? header_of(array) : NULL;
  if (h && h->length < h->room)
    return array;
  const size_t room = h ? h->room * 2 : 2;
  struct header *grown = realloc(h, sizeof *grown + room * size);
  if (!h)
    grown->length = 0;
  grown->room = room;
  return grown + 1;
}
static double behind_headers(const double *x, int n) {
  double *values = NULL, **rows = NULL, s = 0;
  for (int i = 0; i < n; ++i) {
    values = with_room(values, sizeof *values);
    values[header_of(values)->length++] = x[i] * x[(i + 1) % n];
    double *row = NULL;
    for (int j = 0; j <= i; ++j) {
      row = with_room(row, sizeof *row);
      row[header_of(row)->length++] = x[j] * i;
    }
    rows = with_room(rows, sizeof *rows);
    rows[header_of(rows)->length++] = row;
  }
  for (size_t i = 0; i < header_of(rows)->length; ++i) {
    for (size_t j = 0; j < header_of(rows[i])->length; ++j)
      s += rows[i][j] * values[i];
    free(header_of(rows[i]));
  }
  free(header_of(rows));
  free(header_of(values));
  return s;
}
GRADIENT_CHECK(realloc_behind_headers, Double, behind_headers, In(double, 5), Int(5))

/// A capacity in front of the first element, which is doubled where it lies.
struct block {
  size_t length, capacity;
};
static struct block *block_of(double *v) { return (struct block *)(void *)v - 1; }
static double *with_space(double *v) {
  if (!v) {
    struct block *h = (struct block *)malloc(sizeof *h + 2 * sizeof *v);
    *h = (struct block){0, 2};
    return (double *)(void *)(h + 1);
  }
  struct block *h = block_of(v);
  if (h->length == h->capacity) {
    h = (struct block *)realloc(h, sizeof *h + 2 * h->capacity * sizeof *v);
    h->capacity *= 2;
  }
  return (double *)(void *)(h + 1);
}
static double doubled(const double *x, int n) {
  double *v = NULL, sum = 0;
  for (int i = 0; i < n; i++) {
    v = with_space(v);
    v[block_of(v)->length++] = x[i] * x[i];
  }
  for (size_t i = 0; i < block_of(v)->length; i++)
    sum += v[i] * (double)i * v[0];
  free(block_of(v));
  return sum;
}
GRADIENT_CHECK(realloc_in_place, Double, doubled, In(double, 9), Int(9))

// Addresses in the block that grows are set right if it has moved.
struct Node {
  double value;
  struct Node *next;
};

static double moved(const double *x, int n) {
  size_t size = n * sizeof(struct Node) + 1;
  struct Node *pool = malloc(size);
  for (int i = 0; i < n; ++i)
    pool[i] = (struct Node){x[i], i ? &pool[i - 1] : NULL};
  for (int more = 0; more < 3; ++more) { // the first time there is room for it
    struct Node *old = pool;
    size += 5 + 100 * more;
    pool = realloc(pool, size);
    if (pool != old)
      for (int k = 1; k < n; ++k)
        pool[k].next = &pool[k - 1];
  }
  double s = 0, scale = 1;
  for (struct Node *p = &pool[n - 1]; p; p = p->next)
    s = s * 0.5 + p->value * p->value * scale++;
  free(pool);
  return s;
}

GRADIENT_CHECK(realloc_moved, Double, moved, In(double, 6), Int(6))
