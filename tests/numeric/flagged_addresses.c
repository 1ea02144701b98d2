// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses with flags in their low bits, which are numbers in memory between one table entry and
// the next.
// Supports: flags in the low bits of pointers that were stored
#include "GradientCheck.h"

#include <stdint.h>
#include <stdlib.h>

union Handle {
  uintptr_t bits;
  double *owner;
};
struct Row {
  union Handle handle;
  int n;
};
enum { Borrowed = 1, Dirty = 2, Flags = 7 };

/// The real owner, unless somebody has borrowed it.
static void refer(struct Row *to, const struct Row *from, int counts) {
  to->handle.bits =
      !counts || (from->handle.bits & Borrowed) ? from->handle.bits | Borrowed : from->handle.bits;
  to->n = from->n;
}

static double *dataOf(const struct Row *r) {
  union Handle handle = r->handle;
  handle.bits &= ~(uintptr_t)Flags;
  return handle.owner;
}

static double table(const double *x, int n) {
  struct Row *rows = malloc((size_t)n * sizeof *rows);
  rows[0].handle.owner = malloc((size_t)n * sizeof(double));
  rows[0].n = n;
  for (int i = 0; i < n; ++i)
    rows[0].handle.owner[i] = x[i] * x[i];
  for (int i = 1; i < n; ++i) {
    refer(&rows[i], &rows[i / 2], i % 3);
    if (x[i] > 0)
      rows[i].handle.bits ^= Dirty;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    dataOf(&rows[i])[i] *= x[0];
    rows[i].handle.bits &= ~(uintptr_t)Dirty;
    sum += dataOf(&rows[n - 1])[i] * x[i] * (rows[i].handle.bits & Borrowed ? 2 : 1);
  }
  free(rows[0].handle.owner);
  free(rows);
  return sum;
}

GRADIENT_CHECK(flagged_addresses, Double, table, In(double, 7), Int(7))

/// Flags that are numbers of a table.
static unsigned table_of_flags[] = {3, 2, 6, 1, 7, 2};
struct Entry {
  int key;
  double value, *from;
};

static double marked(const double *x, double *y, int n) {
  struct Entry *entries = malloc((size_t)n * sizeof *entries);
  uintptr_t *order = malloc((size_t)n * sizeof *order);
  for (int i = 0; i < n; ++i) {
    entries[i] = (struct Entry){i, x[i] * x[0], &y[i]};
    order[i] = (uintptr_t)&entries[(5 * i + 1) % n] | (table_of_flags[i] & Flags);
  }
  for (int i = 1; i < n; ++i)
    if (order[i] & Dirty)
      *((struct Entry *)(order[i] & ~(uintptr_t)Flags))->from += entries[i].value * y[4];
  free(order);
  free(entries);
  return y[0];
}
GRADIENT_CHECK(flags_of_table, Double, marked, In(double, 6), InOut(double, 6), Int(6))

/// Links that are marked and walked along.
struct Node {
  double value;
  uintptr_t link;
};

static struct Node *next(const struct Node *at) {
  return (struct Node *)(at->link & ~(uintptr_t)Borrowed);
}

static double list(const double *x, int n) {
  struct Node *nodes = calloc((size_t)n, sizeof *nodes), *first = 0;
  for (int i = 0; i < n; ++i) {
    nodes[i].value = x[i] * x[0];
    nodes[i].link = (uintptr_t)first | (i % 3 == 0);
    first = &nodes[i];
  }
  double sum = 0;
  for (struct Node *at = first; at; at = next(at)) {
    sum += at->link & Borrowed ? at->value : at->value * at->value;
    at->link ^= Borrowed;
  }
  for (struct Node *at = first; at; at = next(at))
    if (at->link & Borrowed)
      sum *= at->value;
  free(nodes);
  return sum;
}
GRADIENT_CHECK(marked_links, Double, list, In(double, 7), Int(7))

/// The third bit is no flag where it chooses the second of two floats.
struct float_pair {
  float first, second;
};
static double chosen_by_bit(const float *x, int n) {
  struct float_pair **pairs = malloc(n * sizeof *pairs);
  double s = 0;
  for (int i = 0; i < n; i++) {
    pairs[i] = aligned_alloc(sizeof **pairs, sizeof **pairs);
    pairs[i]->first = 1.5f;
    pairs[i]->second = x[i];
  }
  for (int i = 0; i < n; i++) {
    const float *second = (const float *)((uintptr_t)pairs[i] | 4);
    s += *second * *second * pairs[i]->first;
    free(pairs[i]);
  }
  free(pairs);
  return s;
}
GRADIENT_CHECK_BOUND(1e-3, flags_chosen_by_bit, Double, chosen_by_bit, In(float, 4), Int(4))
