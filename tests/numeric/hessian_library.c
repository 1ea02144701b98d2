// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Supports: derivatives of derivatives through realloc and qsort
//
// Hessian-vector products in every order of tangent and adjoint through what the library does to
// memory: objects that grow and shrink, arrays that are sorted, of numbers and of records with
// pointers, records with a name.
#include "Hessian.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { n = 6 };

static double hessian_growth(const double *x) {
  double *all = NULL, sum = 0;
  int used = 0, room = 0;
  for (int i = 0; i < 11; ++i) {
    if (used == room) {
      room = room ? 2 * room : 1;
      all = (double *)realloc(all, room * sizeof *all);
    }
    all[used] = x[i % n] * x[(i + 1) % n] * (used ? all[used - 1] : 1);
    ++used;
  }
  all = (double *)realloc(all, 5 * sizeof *all);
  for (int i = 0; i < 5; ++i)
    sum += sin(all[i]) * all[i];
  free(all);
  return sum;
}
HESSIAN(hessian_growth)
HESSIAN_TWICE(hessian_growth)
SLOPE(hessian_growth)

/// Among blocks of many sizes: the allocator rounds up an object and its shadows in different ways.
static double hessian_regrowth(const double *x) {
  double sum = 0, *kept[3] = {NULL, NULL, NULL};
  for (int i = 0; i < 60; ++i) {
    double *all = (double *)malloc(sizeof *all), **other = &kept[i % 3];
    int room = 1;
    all[0] = x[i % n];
    for (int j = 1; j < 12; ++j) {
      if (j >= room)
        all = (double *)realloc(all, sizeof *all * (room *= 2));
      all[j] = sin(all[j - 1] * x[(i + j) % n] + 0.1);
    }
    sum += all[11] * all[i % 12];
    free(*other);
    *other = (double *)malloc((1 + i * 7 % 13) * sizeof **other);
    **other = sum;
    free(all);
  }
  for (int i = 0; i < 3; ++i) {
    sum += 0.1 * *kept[i];
    free(kept[i]);
  }
  return sum;
}
HESSIAN(hessian_regrowth)
HESSIAN_TWICE(hessian_regrowth)
SLOPE(hessian_regrowth)

struct record {
  double key, *place;
  int kind;
  double weight;
};
static double hessian_records(const double *x) {
  double numbers[9], sum = 0;
  struct record *all = NULL;
  for (int i = 0; i < 9; ++i) {
    numbers[i] = x[i % n] * x[i % n];
    all = (struct record *)realloc(all, (i + 1) * sizeof *all);
    all[i].key = x[(i * 5) % n];
    all[i].place = numbers + i;
    all[i].kind = i;
    all[i].weight = x[(i + 2) % n] * numbers[i / 2];
  }
  for (int i = 0; i < 9; ++i)
    sum += all[i].key * *all[i].place * sin(all[i].weight) * all[i].kind;
  free(all);
  return sum;
}
HESSIAN(hessian_records)
HESSIAN_TWICE(hessian_records)
SLOPE(hessian_records)

static int falling(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}
static double hessian_sorted(const double *x) {
  double v[n], sum = 0;
  for (int i = 0; i < n; ++i)
    v[i] = x[i] * x[i] + 0.1 * i;
  for (int step = 0; step < 3; ++step) {
    qsort(v, n - (step == 1), sizeof *v, falling);
    for (int i = 0; i < n; ++i)
      v[i] *= sin((i + 1) * x[step]) * v[n - 1 - i];
  }
  qsort(v, 0, sizeof *v, falling);
  for (int i = 0; i < n; ++i)
    sum += v[i] * v[i] * (i + 1);
  return sum;
}
HESSIAN(hessian_sorted)
HESSIAN_TWICE(hessian_sorted)
SLOPE(hessian_sorted)

struct entry {
  double key, *place;
};
static int rising(const void *a, const void *b) {
  const double x = ((const struct entry *)a)->key, y = ((const struct entry *)b)->key;
  return (x > y) - (x < y);
}
static double hessian_entries(const double *x) {
  double numbers[n], sum = 1;
  struct entry all[n];
  for (int i = 0; i < n; ++i) {
    numbers[i] = x[i] * x[(i + 1) % n];
    all[i].key = x[i] * 3;
    all[i].place = numbers + (i + 2) % n;
  }
  qsort(all, n, sizeof *all, rising);
  for (int i = 0; i < n; ++i)
    sum = sum * all[i].key * 0.2 + sin(*all[i].place) * i;
  return sum;
}
HESSIAN(hessian_entries)
HESSIAN_TWICE(hessian_entries)
SLOPE(hessian_entries)

/// A table that is found by names, and grows: characters of a name are read as numbers.
struct named {
  char name[16];
  double value;
  int used;
};
struct table {
  struct named *all;
  int room, used;
};
static double *place(struct table *t, const char *name);
static void grow(struct table *t) {
  struct named *old = t->all;
  const int room = t->room;
  t->room = room ? 2 * room : 4;
  t->all = (struct named *)calloc(t->room, sizeof *t->all);
  t->used = 0;
  for (int i = 0; i < room; ++i)
    if (old[i].used)
      *place(t, old[i].name) = old[i].value;
  free(old);
}
static double *place(struct table *t, const char *name) {
  if (2 * t->used >= t->room)
    grow(t);
  unsigned at = 7;
  for (const char *c = name; *c; ++c)
    at = at * 31 + (unsigned char)*c;
  for (at %= t->room; t->all[at].used && strcmp(t->all[at].name, name);)
    at = (at + 1) % t->room;
  if (!t->all[at].used) {
    t->all[at].used = 1;
    strcpy(t->all[at].name, name);
    ++t->used;
  }
  return &t->all[at].value;
}
static double hessian_names(const double *x) {
  struct table t = {NULL, 0, 0};
  char name[3] = "ka";
  double sum = 0;
  for (int i = 0; i < 3 * n; ++i) {
    name[1] = (char)('a' + i % 5);
    *place(&t, name) += x[i % n] * (i + 1) * 0.1;
  }
  for (int i = 0; i < t.room; ++i)
    if (t.all[i].used)
      sum += sin(t.all[i].value) * t.all[i].value * (t.all[i].name[1] - 'a' + 1);
  free(t.all);
  return sum;
}
HESSIAN(hessian_names)
SLOPE(hessian_names)

/// Addresses of records with flags that change in memory.
static double hessian_flags(const double *x) {
  double values[n], sum = 0;
  uintptr_t places[n];
  for (int i = 0; i < n; ++i) {
    values[i] = x[i] * x[0];
    places[i] = (uintptr_t)&values[i * 5 % n] | (unsigned)(i % 4);
  }
  for (int i = 0; i < n; ++i) {
    if (places[i] & 1)
      *(double *)(places[i] & ~(uintptr_t)7) *= x[i];
    places[i] ^= 1;
  }
  for (int i = 0; i < n; ++i)
    sum += *(double *)(places[i] & ~(uintptr_t)7) * (places[i] & 2 ? x[i] * x[i] : 1);
  return sum;
}
HESSIAN(hessian_flags)
