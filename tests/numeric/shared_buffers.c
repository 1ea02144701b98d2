// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SUPPORTED: C and C++ | one buffer for records with integers and for plain numbers, by callbacks

#include "GradientCheck.h"

#include <stdlib.h>

enum { Atoms = 6 };

struct System {
  int count, step;
  int *id, *kind;
  double *place, *density;
  double shift;
};

struct Densities {
  double *density;
};

struct AtomRecord {
  int id, kind;
  double place;
};

struct DensityRecord {
  double density;
};

static void putAtom(struct System *s, int at, int id, int kind, double place) {
  s->id[at] = id;
  s->kind[at] = kind;
  s->place[at] = place;
}

/// As halo exchanges are written: what is packed depends on who asks.
struct Exchange {
  int (*pack)(const void *parameters, void *data, char *buffer);
  void (*unpack)(const void *parameters, void *data, int bytes, const char *buffer);
  void *parameters;
};

struct AtomParameters {
  int count;
  int *list;
  double *factor;
};

struct DensityParameters {
  int count;
  int *from, *to;
};

static int packAtoms(const void *parameters, void *data, char *buffer) {
  const struct AtomParameters *p = parameters;
  struct System *s = data;
  struct AtomRecord *to = (struct AtomRecord *)buffer;
  for (int i = 0; i < p->count; i++) {
    const int from = p->list[i];
    to[i].id = s->id[from];
    to[i].kind = s->kind[from];
    to[i].place = s->place[from] + p->factor[0] * s->shift;
  }
  return p->count * (int)sizeof *to;
}

static int byId(const void *a, const void *b) {
  const int one = ((const struct AtomRecord *)a)->id, other = ((const struct AtomRecord *)b)->id;
  return one < other ? -1 : one > other;
}

static void sortAtoms(struct System *s) {
  struct AtomRecord all[Atoms];
  for (int i = 0; i < Atoms; i++)
    all[i] = (struct AtomRecord){s->id[Atoms + i], s->kind[Atoms + i], s->place[Atoms + i]};
  qsort(all, Atoms, sizeof *all, byId);
  for (int i = 0; i < Atoms; i++) {
    s->id[Atoms + i] = all[i].id;
    s->kind[Atoms + i] = all[i].kind;
    s->place[Atoms + i] = all[i].place;
  }
}

static void unpackAtoms(const void *parameters, void *data, int bytes, const char *buffer) {
  (void)parameters;
  struct System *s = data;
  const struct AtomRecord *from = (const struct AtomRecord *)buffer;
  for (int i = 0; i < bytes / (int)sizeof *from; i++) {
    putAtom(s, Atoms + i, from[i].id, from[i].kind, from[i].place);
  }
}

static int packDensities(const void *parameters, void *data, char *buffer) {
  const struct DensityParameters *p = parameters;
  struct Densities *s = data;
  struct DensityRecord *to = (struct DensityRecord *)buffer;
  for (int i = 0; i < p->count; i++)
    to[i].density = s->density[p->from[i]];
  return p->count * (int)sizeof *to;
}

static void unpackDensities(const void *parameters, void *data, int bytes, const char *buffer) {
  const struct DensityParameters *p = parameters;
  struct Densities *s = data;
  const struct DensityRecord *from = (const struct DensityRecord *)buffer;
  for (int i = 0; i < bytes / (int)sizeof *from; i++)
    s->density[p->to[i]] = from[i].density;
}

static void exchange(const struct Exchange *e, void *data) {
  char *sent = malloc(Atoms * sizeof(struct AtomRecord));
  char *received = malloc(Atoms * sizeof(struct AtomRecord));
  const int bytes = e->pack(e->parameters, data, sent);
  __builtin_memcpy(received, sent, bytes);
  e->unpack(e->parameters, data, bytes, received);
  free(received);
  free(sent);
}

static struct Exchange *newExchange(int ofDensities) {
  struct Exchange *e = malloc(sizeof *e);
  if (ofDensities) {
    struct DensityParameters *p = malloc(sizeof *p);
    p->count = Atoms;
    p->from = malloc(Atoms * sizeof(int));
    p->to = malloc(Atoms * sizeof(int));
    for (int i = 0; i < Atoms; i++) {
      p->from[i] = (i + 1) % Atoms;
      p->to[i] = Atoms + i;
    }
    *e = (struct Exchange){packDensities, unpackDensities, p};
  } else {
    struct AtomParameters *p = malloc(sizeof *p);
    p->count = Atoms;
    p->list = malloc(Atoms * sizeof(int));
    p->factor = malloc(sizeof(double));
    for (int i = 0; i < Atoms; i++)
      p->list[i] = Atoms - 1 - i;
    p->factor[0] = -1;
    *e = (struct Exchange){packAtoms, unpackAtoms, p};
  }
  return e;
}

static double twoExchanges(const double *x, int n) {
  static const int names[Atoms] = {53, 17, 25, 71, 8, 30};
  struct System *s = calloc(1, sizeof *s);
  struct Exchange *all[] = {newExchange(0), newExchange(1)};
  s->id = malloc(2 * Atoms * sizeof(int));
  s->kind = malloc(2 * Atoms * sizeof(int));
  s->place = malloc(2 * Atoms * sizeof(double));
  s->density = calloc(2 * Atoms, sizeof(double));
  struct Densities densities = {s->density};
  s->count = n;
  s->shift = x[0] * x[1];
  for (int i = 0; i < n; i++) {
    putAtom(s, i, names[i], 0, x[i]);
  }
  for (int k = 0; k < 2; k++) {
    exchange(all[k], k == 0 ? (void *)s : &densities);
    sortAtoms(s);
    s->step++;
    for (int i = 0; i < n; i++)
      s->density[i] = s->place[i] * s->place[Atoms + i];
  }
  double sum = 0;
  for (int i = 0; i < n; i++)
    if (s->id[Atoms + i] > s->id[i])
      sum += s->density[i] * s->density[Atoms + i];
  free(s->place);
  free(s->density);
  free(s->id);
  free(s->kind);
  free(((struct AtomParameters *)all[0]->parameters)->list);
  free(((struct AtomParameters *)all[0]->parameters)->factor);
  free(((struct DensityParameters *)all[1]->parameters)->from);
  free(((struct DensityParameters *)all[1]->parameters)->to);
  for (int k = 0; k < 2; k++) {
    free(all[k]->parameters);
    free(all[k]);
  }
  free(s);
  return sum;
}

GRADIENT_CHECK(shared_buffers, Double, twoExchanges, In(double, 6), Int(6))
