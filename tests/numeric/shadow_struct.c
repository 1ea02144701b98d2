// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A structure with its own shadow structure, passed by pointer as one duplicated argument; members,
// and what they point to, that are only moved, numbers and integers, which have no shadow.
// Supports: shadows of nested objects
#include "GradientCheck.h"
#include <string.h>

struct Model {
  int n;
  double scale;
  double *state;
  const double *weight;
};

static double advance(struct Model *m) {
  double sum = 0;
  for (int i = 0; i < m->n; i++) {
    m->state[i] = m->state[i] * m->scale + m->weight[i];
    sum += m->state[i] * m->weight[m->n - 1 - i];
  }
  m->scale *= sum;
  return sum;
}

void __enzyme_autodiff_model(void *, ...);
double __enzyme_fwddiff_model(void *, ...);

static struct Model bind(void *const *v) {
  return (struct Model){5, *(double *)v[2], (double *)v[0], (const double *)v[1]};
}

static double primal(void *const *v) {
  struct Model m = bind(v);
  double r = advance(&m);
  *(double *)v[2] = m.scale;
  return r;
}

static double tangent(void *const *v, void *const *d) {
  struct Model m = bind(v), shadow = bind(d);
  double r = __enzyme_fwddiff_model((void *)advance, enzyme_dup, &m, &shadow);
  *(double *)v[2] = m.scale;
  *(double *)d[2] = shadow.scale;
  return r;
}

static void adjoint(void *const *v, void *const *d) {
  struct Model m = bind(v), shadow = bind(d);
  __enzyme_autodiff_model((void *)advance, enzyme_dup, &m, &shadow);
  *(double *)v[2] = m.scale;
  *(double *)d[2] = shadow.scale;
}

GRADIENT_CHECK_CUSTOM(shadow_struct, Double, primal, tangent, adjoint, InOut(double, 5),
                      In(double, 5), InOut(double, 1))

// Only moves, none of which says what it moves.
struct Moved {
  double *from, *to, *cleared, *made;
  float *small;
  double first, second, third;
  long *count, *counts, id;
  int *tag, *tags;
};

static void move(struct Moved *m, struct Moved *copy, int n) {
  memcpy(m->to, m->from, 8);
  for (int i = 1; i < n; i++)
    memcpy(m->to + i, m->from + n - i, 8);
  memcpy(m->small, m->small + 1, 4);
  memset(m->cleared, 0, 8);
  m->made[0] = 2 * m->first;
  memcpy(m->made + 1, m->from, 8);
  memcpy(&m->second, &m->first, 8);
  memset(&m->third, 0, 8);
  m->counts[0] = n > 1 ? m->count[0] : m->count[1];
  m->counts[1] = 0;
  memcpy(m->tags, m->tag, n * sizeof(int));
  *copy = *m;
}

static void moveAll(void *const *v, void *const *d, int mode) {
  double *const x = v[0], *const dx = d ? d[0] : 0;
  long count[2] = {3, 4}, counts[2];
  int tag[3] = {5, 6, 7}, tags[3];
  struct Moved m = {x, x + 3, x + 6, x + 10, v[1], x[7], x[8], x[9], count, counts, 8, tag, tags},
               copy = m;
  struct Moved shadow = {0}, copied = {0};
  if (d)
    shadow =
        (struct Moved){dx,    dx + 3, dx + 6, dx + 10, d[1], mode < 0 ? 0 : dx[7], dx[8], dx[9],
                       count, counts, 0,      0,       0};
  if (mode < 0)
    copied.first = dx[7];
  if (mode > 0)
    __enzyme_fwddiff_model((void *)move, enzyme_dup, &m, &shadow, enzyme_dup, &copy, &copied, 3);
  else if (mode < 0)
    __enzyme_autodiff_model((void *)move, enzyme_dup, &m, &shadow, enzyme_dup, &copy, &copied, 3);
  else
    move(&m, &copy, 3);
  const int right = counts[0] == 3 && counts[1] == 0 && tags[2] == 7 && copy.id == 8;
  x[7] = copy.first, x[8] = m.second, x[9] = right ? m.third : 1;
  if (d)
    dx[7] = mode < 0 ? shadow.first : copied.first, dx[8] = shadow.second, dx[9] = shadow.third;
}

static double moves(void *const *v) { return moveAll(v, 0, 0), 0; }
static double movesTangent(void *const *v, void *const *d) { return moveAll(v, d, 1), 0; }
static void movesAdjoint(void *const *v, void *const *d) { moveAll(v, d, -1); }

GRADIENT_CHECK_CUSTOM(shadow_struct_moves, Void, moves, movesTangent, movesAdjoint,
                      InOut(double, 12), InOut(float, 2))

// Integers that are only copied, between numbers, have no shadow either: what lies there stays.
struct Cell {
  double value;
  int id, kind;
  double weight;
};

static void reorder(const struct Cell *from, struct Cell *to, int n) {
  for (int i = 0; i < n; i++) {
    to[i] = from[n - 1 - i];
    to[i].value *= to[i].weight;
  }
}

enum { Cells = 4 };

static void bindCells(struct Cell *cells, void *const *v, int first) {
  for (int i = 0; i < Cells; i++)
    cells[i] =
        (struct Cell){((double *)v[first])[i], 10 * first + i, 7, ((double *)v[first + 1])[i]};
}

static void unbindCells(const struct Cell *cells, void *const *v, int first, int ids) {
  for (int i = 0; i < Cells; i++) {
    ((double *)v[first])[i] = cells[i].value;
    ((double *)v[first + 1])[i] =
        cells[i].id == 10 * ids + i && cells[i].kind == 7 ? cells[i].weight : __builtin_nan("");
  }
}

static double reordered(void *const *v) {
  struct Cell from[Cells], to[Cells];
  bindCells(from, v, 0);
  reorder(from, to, Cells);
  for (int i = 0; i < Cells; i++)
    to[i].id = i;
  unbindCells(to, v, 2, 0);
  return 0;
}

static double reorderedTangent(void *const *v, void *const *d) {
  struct Cell from[Cells], to[Cells], fromShadow[Cells], toShadow[Cells];
  bindCells(from, v, 0);
  bindCells(fromShadow, d, 0);
  bindCells(toShadow, d, 2);
  __enzyme_fwddiff_model((void *)reorder, enzyme_dup, from, fromShadow, enzyme_dup, to, toShadow,
                         enzyme_const, Cells);
  for (int i = 0; i < Cells; i++)
    to[i].id = toShadow[i].id = i;
  unbindCells(to, v, 2, 0);
  unbindCells(toShadow, d, 2, 0);
  return 0;
}

static void reorderedAdjoint(void *const *v, void *const *d) {
  struct Cell from[Cells], to[Cells], fromShadow[Cells], toShadow[Cells];
  bindCells(from, v, 0);
  bindCells(fromShadow, d, 0);
  bindCells(toShadow, d, 2);
  __enzyme_autodiff_model((void *)reorder, enzyme_dup, from, fromShadow, enzyme_dup, to, toShadow,
                          enzyme_const, Cells);
  unbindCells(fromShadow, d, 0, 0);
  unbindCells(toShadow, d, 2, 2);
  for (int i = 0; i < Cells; i++)
    to[i].id = i;
  unbindCells(to, v, 2, 0);
}

GRADIENT_CHECK_CUSTOM(shadow_integers, Double, reordered, reorderedTangent, reorderedAdjoint,
                      In(double, 4), In(double, 4), Out(double, 4), Out(double, 4))

/* Addresses that nobody looks at are copied beside numbers: their shadows are no adjoints. */
struct Owned {
  double value, weight;
  const void *owner;
};

static void take(const struct Owned *from, struct Owned *to, int n) {
  for (int i = 1; i < n; i++) {
    to[i] = from[i - 1];
    to[i].value *= to[i].weight;
  }
}

static void bindOwned(struct Owned *all, void *const *v, int first) {
  for (int i = 0; i < Cells; i++)
    all[i] = (struct Owned){((double *)v[first])[i], ((double *)v[first + 1])[i], bindOwned};
}

static void unbindOwned(const struct Owned *all, void *const *v, int first) {
  for (int i = 0; i < Cells; i++) {
    ((double *)v[first])[i] = all[i].value;
    ((double *)v[first + 1])[i] = all[i].owner == bindOwned ? all[i].weight : __builtin_nan("");
  }
}

static double taken(void *const *v) {
  struct Owned from[Cells], to[Cells];
  bindOwned(from, v, 0);
  bindOwned(to, v, 2);
  take(from, to, Cells);
  unbindOwned(to, v, 2);
  return 0;
}

static double takenTangent(void *const *v, void *const *d) {
  struct Owned from[Cells], to[Cells], fromShadow[Cells], toShadow[Cells];
  bindOwned(from, v, 0);
  bindOwned(to, v, 2);
  bindOwned(fromShadow, d, 0);
  bindOwned(toShadow, d, 2);
  __enzyme_fwddiff_model((void *)take, enzyme_dup, from, fromShadow, enzyme_dup, to, toShadow,
                         enzyme_const, Cells);
  unbindOwned(to, v, 2);
  unbindOwned(toShadow, d, 2);
  return 0;
}

static void takenAdjoint(void *const *v, void *const *d) {
  struct Owned from[Cells], to[Cells], fromShadow[Cells], toShadow[Cells];
  bindOwned(from, v, 0);
  bindOwned(to, v, 2);
  bindOwned(fromShadow, d, 0);
  bindOwned(toShadow, d, 2);
  __enzyme_autodiff_model((void *)take, enzyme_dup, from, fromShadow, enzyme_dup, to, toShadow,
                          enzyme_const, Cells);
  unbindOwned(fromShadow, d, 0);
  unbindOwned(toShadow, d, 2);
  unbindOwned(to, v, 2);
}

GRADIENT_CHECK_CUSTOM(shadow_addresses, Double, taken, takenTangent, takenAdjoint, In(double, 4),
                      In(double, 4), InOut(double, 4), InOut(double, 4))
