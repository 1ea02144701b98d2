// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One word is a float at one time and a double at another, and goes on as it is: in registers, to
// several places, in copies. As a double the adjoint of such a float is next to nothing.
// Supports: unions of `float` and `double`, and of arrays of them, that are copied and sorted
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  enum { Narrow, Wide, Elsewhere } kind;
  union {
    float narrow;
    double wide;
    const float *at;
  } held;
};

static struct entry narrow(float v) {
  struct entry e;
  e.kind = Narrow;
  e.held.narrow = v;
  return e;
}
static struct entry wide(double v) {
  struct entry e;
  e.kind = Wide;
  e.held.wide = v;
  return e;
}
static struct entry leads(const float *at) {
  struct entry e;
  e.kind = Elsewhere;
  e.held.at = at;
  return e;
}

static double number(const struct entry *e) {
  return e->kind == Wide ? e->held.wide : e->held.narrow;
}
static double value(const struct entry *e) {
  return e->kind == Elsewhere ? *e->held.at : number(e);
}

static float stored_twice(const float *x, int n) {
  struct entry here[8], there[8];
  for (int i = 0; i < n; i++) {
    const struct entry e = i % 3 == 0 ? narrow(x[i] * x[i]) : wide(x[i] * x[0]);
    here[i] = there[i] = e;
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += number(&here[i]) * number(&there[n - 1 - i]) + sin(number(&there[i]));
  return (float)s;
}

static float or_elsewhere(const float *x, int n) {
  struct entry here[8], there[8];
  for (int i = 0; i < n; i++) {
    const struct entry e = i % 4 == 0   ? narrow(x[i] * x[1])
                           : i % 4 == 1 ? leads(x + i)
                           : i % 4 == 2 ? narrow(2.0F + (float)i)
                                        : wide(x[i] * x[0]);
    here[i] = there[i] = e;
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += value(&here[i]) * value(&there[n - 1 - i]);
  return (float)s;
}

static float copied(const float *x, int n) {
  struct entry here[8], there[8], last[8];
  for (int i = 0; i < n; i++)
    here[i] = i % 3 == 0 ? narrow(sinf(x[i])) : i % 3 == 1 ? leads(x + i) : wide(x[i] * x[0]);
  memcpy(there, here, sizeof here[0] * (unsigned)n);
  for (int i = 0; i < n; i++)
    last[i] = there[(i + 1) % n];
  memmove(here + 1, here, sizeof here[0] * (unsigned)(n - 1));
  double s = 0;
  for (int i = 0; i < n; i++)
    s += value(&here[i]) * value(&last[i]) + value(&there[i]);
  return (float)s;
}

static float constants(const float *x, int n) {
  struct entry all[8];
  for (int i = 0; i < n; i++)
    all[i] = i % 3 == 0 ? narrow(1.0F + (float)i) : i % 3 == 1 ? leads(x + i) : wide(x[i] * x[0]);
  double s = 1;
  for (int i = 0; i < n; i++)
    s *= 1 + 0.1 * value(&all[i]);
  return (float)s;
}

GRADIENT_CHECK_BOUND(1e-4, word_stored_twice, Float, stored_twice, In(float, 8), Int(8))
GRADIENT_CHECK_BOUND(1e-4, word_or_elsewhere, Float, or_elsewhere, In(float, 8), Int(8))
GRADIENT_CHECK_BOUND(1e-4, word_copied, Float, copied, In(float, 8), Int(8))
GRADIENT_CHECK_BOUND(1e-4, word_of_constants, Float, constants, In(float, 8), Int(8))

// Four floats at one time, two doubles or a count at another: which it is shows only where a number
// is written or read.
struct tagged {
  int kind;
  union {
    float narrow[4];
    double wide[2];
    long count;
  } u;
};
static int by_kind(const void *a, const void *b) {
  return ((const struct tagged *)a)->kind - ((const struct tagged *)b)->kind;
}
static double product(const struct tagged *t) {
  return t->kind < 2   ? (double)(t->u.narrow[1] * t->u.narrow[2])
         : t->kind < 4 ? t->u.wide[0] * t->u.wide[1]
                       : (double)t->u.count;
}
static void fill(struct tagged *t, const float *x, int i) {
  t->kind = i * 5 % 6;
  if (t->kind < 2)
    for (int j = 0; j < 4; ++j)
      t->u.narrow[j] = x[(i + j) % 6];
  else if (t->kind < 4)
    t->u.wide[i & 1] = (double)x[i] * x[i], t->u.wide[!(i & 1)] = x[0];
  else
    t->u.count = i;
}
static float records(const float *x, int n) {
  struct tagged a[6], b[6], *grown = NULL;
  memset(a, 0, sizeof a);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    fill(&a[i], x, i);
    if ((i & (i - 1)) == 0)
      grown = realloc(grown, sizeof *grown * (i ? 2 * (unsigned)i : 1));
    grown[i] = a[i];
    if (i % 3 == 1)
      grown[i] = grown[i - 1];
  }
  memcpy(b, a, sizeof b);
  qsort(b, (unsigned)n, sizeof *b, by_kind);
  for (int i = 0; i < n; ++i)
    s = s * 0.5 + product(&b[i]) + product(&a[n - 1 - i]) * product(&grown[i]);
  free(grown);
  return (float)s;
}
GRADIENT_CHECK_BOUND(1e-4, word_in_records, Float, records, In(float, 6), Int(6))

// Records of which a loop takes one of two numbers, so that a float beside them might be one. They
// are only calculated with.
struct particle {
  double place[2], speed[2];
  int id;
  float weight;
};

static float pushed(const float *x, int n) {
  struct particle *all = malloc((size_t)n * sizeof *all);
  for (int i = 0; i < n; i++) {
    const struct particle p = {{x[i], x[(i + 1) % n]}, {x[i], -x[i]}, i, x[i] * x[i]};
    all[i] = p;
  }
  float sum = 0;
  for (int i = 0; i < n; i++) {
    struct particle *p = &all[i];
    for (int d = 0; d < 2; d++) {
      p->speed[d] -= sin(p->place[d]) * p->weight;
      p->place[d] += p->speed[d];
    }
  }
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 2; d++)
      sum += (float)all[i].place[d] * (float)pow(all[i].speed[d], 2) * (float)(d + 1 + all[i].id);
  free(all);
  return sum;
}
GRADIENT_CHECK_BOUND(1e-4, word_in_loops, Float, pushed, In(float, 6), Int(6))

// Doubles and floats one behind the other at any place, which go to doubles as they are.
static float archived(const float *x, int n) {
  const size_t most = (size_t)n * 16;
  char *bytes = malloc(most), *copy = malloc(most), *at = bytes;
  double *again = malloc((size_t)n * sizeof *again), sum = 0;
  for (int i = 0; i < n; at += sizeof *x, i++) {
    const double wide = (double)x[i] * x[i];
    for (int k = 0; k <= i % 3; k++)
      *at++ = (char)(i % 3);
    memcpy(at, &wide, sizeof wide);
    memcpy(at += sizeof wide, &x[n - 1 - i], sizeof *x);
  }
  memcpy(copy, bytes, (size_t)(at - bytes));
  at = copy;
  for (int i = 0; i < n; i++) {
    double wide;
    float narrow;
    at += 1 + *at;
    memcpy(&wide, at, sizeof wide);
    memcpy(&narrow, at += sizeof wide, sizeof narrow);
    at += sizeof narrow;
    again[i] = wide;
    sum += wide * narrow;
  }
  for (int i = 0; i < n; i++)
    sum += again[i] * again[n - 1 - i];
  free(again);
  free(copy);
  free(bytes);
  return (float)sum;
}
GRADIENT_CHECK_BOUND(1e-4, word_in_archives, Float, archived, In(float, 6), Int(6))

// Behind the float lies an integer; in the other words numbers and addresses.
struct tone {
  float rate;
  int times;
  double phase;
};
struct slope {
  double by, from;
};
struct row {
  const float *at;
  long count;
};
struct law {
  enum { Tone, Slope, Row } kind;
  union {
    struct tone tone;
    struct slope slope;
    struct row row;
  } is;
};

static double law_at(const struct law *l, double t) {
  double s = 0;
  switch (l->kind) {
  case Tone:
    for (int k = 1; k <= l->is.tone.times; k++)
      s += sin(k * t * (double)l->is.tone.rate + l->is.tone.phase);
    return s;
  case Slope:
    return l->is.slope.by * t + l->is.slope.from;
  default:
    for (long k = 0; k < l->is.row.count; k++)
      s += (double)l->is.row.at[k] * t;
    return s;
  }
}

static float beside_integers(const float *x, int n) {
  struct law laws[8], moved[8];
  for (int i = 0; i < n; i++) {
    laws[i].kind = i % 3 == 0 ? Tone : i % 3 == 1 ? Slope : Row;
    if (i % 3 == 0)
      laws[i].is.tone = (struct tone){x[i], i + 1, x[0]};
    else if (i % 3 == 1)
      laws[i].is.slope = (struct slope){x[i], x[i - 1]};
    else
      laws[i].is.row = (struct row){x + i - 2, 3};
  }
  for (int i = 0; i < n; i++)
    moved[n - 1 - i] = laws[i];
  memcpy(laws + 2, moved + 1, sizeof(struct law) * 4);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += law_at(&moved[i], 0.5 + x[i]) * law_at(&laws[i], x[0]);
  return (float)s;
}
GRADIENT_CHECK_BOUND(1e-4, word_beside_integers, Float, beside_integers, In(float, 8), Int(8))

/// A number that is cleared piece by piece.
union Pieces {
  double number;
  struct {
    int first;
    short second, third;
  } is;
};
static double emptied(double *x, int n) {
  union Pieces *one = (union Pieces *)(x + n / 2);
  one->is.first = 0;
  one->is.second = 0;
  one->is.third = 0;
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * ((union Pieces *)x)[i].number * x[0] + x[i];
  return sum;
}
GRADIENT_CHECK(emptied_by_pieces, Double, emptied, InOut(double, 6), Int(6))
