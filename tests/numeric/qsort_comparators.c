// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qsort, qsort_r, bsearch, lfind and lsearch: doubles, structs, pointers to structs.
// Supports: `realloc`, `qsort`, `bsearch`
// Supports: `qsort_r`
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "GradientCheck.h"
#include <math.h>
#include <search.h>
#include <stdlib.h>

struct Item {
  int key;
  double value, *where;
};

static int upward(const void *p, const void *q) {
  double a = *(const double *)p, b = *(const double *)q;
  return (a > b) - (a < b);
}
static int byKey(const void *p, const void *q) {
  return ((const struct Item *)p)->key - ((const struct Item *)q)->key;
}
static int byValue(const void *p, const void *q) {
  return upward(&(*(struct Item *const *)p)->value, &(*(struct Item *const *)q)->value);
}

static double sorted(double *x, double a, int n) {
  struct Item items[8], *order[8];
  double own[8];
  for (int i = 0; i < n; ++i) {
    own[i] = x[i] * a;
    items[i] = (struct Item){(5 * i) % n, x[i] * x[i], &own[i]};
    order[i] = &items[i];
  }
  qsort(items, n, sizeof *items, byKey);
  qsort(order, n, sizeof *order, byValue);
  qsort(x, n, sizeof *x, upward);
  struct Item wanted = {3, 0, 0};
  struct Item *found = bsearch(&wanted, items, n, sizeof *items, byKey);
  double s = found ? found->value * 2 : 0;
  for (int i = 0; i < n; ++i) {
    s += i * items[i].value * *items[i].where;
    s += (i + 1) * order[i]->value;
    s += (i + 2) * x[i] * x[i];
    x[i] *= a;
  }
  return s;
}

GRADIENT_CHECK(qsort_comparators, Double, sorted, InOut(double, 8), Scalar(double), Int(8))

/// Nobody but the comparison looks at the numbers.
static int descending(const void *p, const void *q) {
  const float a = *(const float *)p, b = *(const float *)q;
  return (a < b) - (a > b);
}
static void ranked(float *x, int n) { qsort(x, n, sizeof *x, descending); }

GRADIENT_CHECK(qsort_in_place, Void, ranked, InOut(float, 6), Int(6))

struct Entry {
  int key;
  double values[2];
};
static int differs(const void *p, const void *q) {
  return *(const int *)p != ((const struct Entry *)q)->key;
}
static int apart(const void *p, const void *q) {
  return fabs(*(const double *)p - *(const double *)q) > 1e-12;
}
static double found(const double *x, int n) {
  struct Entry *entries = (struct Entry *)malloc(4 * sizeof *entries);
  double squares[8], s = 0;
  size_t many = 4, all = (size_t)n;
  for (int i = 0; i < n; ++i)
    squares[i] = x[i] * x[i];
  for (int i = 0; i < 4; ++i)
    entries[i] = (struct Entry){7 - i, {x[i], x[i + 4]}};
  for (int key = 3; key < 9; ++key) {
    struct Entry *e = (struct Entry *)lfind(&key, entries, &many, sizeof *entries, differs);
    if (!e)
      continue;
    e->values[0] *= x[0];
    s += key * e->values[0] * e->values[1];
  }
  for (int i = 0; i < n; ++i) {
    const double *e = (const double *)lfind(&squares[n - 1 - i], squares, &all, sizeof *e, apart);
    s += e ? *e * x[i] : 100 * x[i];
  }
  s += entries[1].values[0];
  free(entries);
  return s;
}

GRADIENT_CHECK(lfind_comparators, Double, found, In(double, 8), Int(8))

/// What is not found is appended.
static double gathered(const double *x, int n) {
  struct Item items[8];
  size_t many = 0;
  for (int i = 0; i < n; ++i) {
    struct Item wanted = {3 * i % 5, x[i], NULL};
    struct Item *at = (struct Item *)lsearch(&wanted, items, &many, sizeof wanted, byKey);
    at->value += x[i] * x[0];
  }
  double s = 0;
  for (size_t i = 0; i < many; ++i)
    s += items[i].key * items[i].value * items[0].value;
  return s;
}

GRADIENT_CHECK(lsearch_comparators, Double, gathered, In(double, 8), Int(8))

/// What qsort_r compares with: contexts, one of which leads to an active number.
struct Rule {
  int sign;
  const double *weight;
};
static int byNumber(const void *p, const void *q, void *context) {
  const double a = *(const double *)p, b = *(const double *)q;
  return *(const int *)context * ((a > b) - (a < b));
}
static int byRule(const void *p, const void *q, void *context) {
  const struct Rule *rule = (const struct Rule *)context;
  const double a = ((const struct Item *)p)->value * *rule->weight;
  const double b = ((const struct Item *)q)->value * *rule->weight;
  return rule->sign * ((a > b) - (a < b));
}
static double ruled(double *x, double a, int n) {
  struct Item items[8];
  struct Rule rule = {1, &a};
  int down = -1;
  double s = 0;
  for (int i = 0; i < n; ++i)
    items[i] = (struct Item){i, x[i] * x[i] * a, &x[(i + 3) % n]};
  qsort_r(items, n, sizeof *items, byRule, &rule);
  for (int i = 0; i < n; ++i)
    s += (i + 1) * items[i].value * items[i].value * *items[i].where + items[i].key * x[i];
  qsort_r(x, n, sizeof *x, byNumber, &down);
  return s + x[0] * x[1] * a;
}

GRADIENT_CHECK(qsort_contexts, Double, ruled, InOut(double, 8), Scalar(double), Int(8))

// A comparison asks its elements for their keys, through a table of operations.
struct Shape {
  const struct ShapeOperations *operations;
  double size[2];
};
struct ShapeOperations {
  double (*area)(const struct Shape *, double scale);
};
static double discArea(const struct Shape *s, double scale) {
  return 3 * scale * s->size[0] * s->size[0];
}
static double boxArea(const struct Shape *s, double scale) {
  return scale * s->size[0] * s->size[1];
}
static const struct ShapeOperations discs = {discArea}, boxes = {boxArea};

static int byArea(const void *a, const void *b) {
  const struct Shape *s = a, *t = b;
  const double u = s->operations->area(s, 1), v = t->operations->area(t, 1);
  return (u > v) - (u < v);
}
static double sortedShapes(const double *x, int n) {
  struct Shape shapes[8];
  for (int i = 0; i < n; i++)
    shapes[i] = (struct Shape){i % 2 ? &discs : &boxes, {x[i], x[(i + 1) % n]}};
  qsort(shapes, n, sizeof *shapes, byArea);
  double s = 0;
  for (int i = 0; i < n; i++)
    s = s * 0.7 + shapes[i].operations->area(&shapes[i], i + 1);
  return s;
}

GRADIENT_CHECK(sorted_by_operation, Double, sortedShapes, In(double, 6), Int(6))

/// Addresses in an array that the analysis takes for one object with what they lead to, which holds
/// numbers: nodes of a tree have children or a range of the array. The comparison has structures
/// returned in memory.
typedef struct {
  float lo[3], hi[3]; // with a third member it is returned in memory
} Box;
typedef struct {
  int round;
  union {
    struct {
      float at[2], radius;
    } ball;
    struct {
      float corner[2][2];
    } block;
  } u;
} Shape;
typedef struct Tree {
  Box box;
  union {
    struct {
      struct Tree *left, *right;
    } inner;
    struct {
      Shape **first;
      int n;
    } leaf;
  } u;
  unsigned char isLeaf;
} Tree;
static int axis;

static Box boxOf(const Shape *s) {
  Box b = {{0}, {0}};
  for (int i = 0; i < 2; ++i) {
    b.lo[i] = s->round ? s->u.ball.at[i] - s->u.ball.radius : s->u.block.corner[0][i];
    b.hi[i] = s->round ? s->u.ball.at[i] + s->u.ball.radius : s->u.block.corner[1][i];
  }
  return b;
}
static int alongAxis(const void *p, const void *q) {
  const Shape *s = *(Shape *const *)p, *t = *(Shape *const *)q;
  const Box a = boxOf(s), b = boxOf(t);
  return (a.lo[axis] > b.lo[axis]) - (a.lo[axis] < b.lo[axis]);
}
static Tree *treeOf(Shape **first, int n, int depth) {
  Tree *t = malloc(sizeof *t);
  t->box = boxOf(first[0]);
  for (int k = 1; k < n; ++k) {
    const Box b = boxOf(first[k]);
    for (int i = 0; i < 2; ++i) {
      t->box.lo[i] = fminf(t->box.lo[i], b.lo[i]);
      t->box.hi[i] = fmaxf(t->box.hi[i], b.hi[i]);
    }
  }
  t->isLeaf = n <= 2;
  if (t->isLeaf) {
    t->u.leaf.first = first;
    t->u.leaf.n = n;
    return t;
  }
  axis = depth % 2;
  qsort(first, n, sizeof *first, alongAxis);
  t->u.inner.left = treeOf(first, n / 2, depth + 1);
  t->u.inner.right = treeOf(first + n / 2, n - n / 2, depth + 1);
  return t;
}
static float sizeOf(Tree *t, int depth) {
  float s = (t->box.hi[0] - t->box.lo[0]) * (t->box.hi[1] - t->box.lo[1]) / (depth + 1);
  if (t->isLeaf) {
    for (int k = 0; k < t->u.leaf.n; ++k)
      s += (k + depth) * boxOf(t->u.leaf.first[k]).lo[0];
  } else {
    s += sizeOf(t->u.inner.left, depth + 1) + 2 * sizeOf(t->u.inner.right, depth + 1);
  }
  free(t);
  return s;
}
static float treeOfSorted(const float *x, int n) {
  Shape shapes[8], *order[8];
  for (int i = 0; i < n; ++i) {
    shapes[i].round = i % 3 != 0;
    if (shapes[i].round) {
      shapes[i].u.ball.at[0] = x[i] + i * 5 % 7;
      shapes[i].u.ball.at[1] = x[(i + 1) % n] - i * 3 % 5;
      shapes[i].u.ball.radius = x[i] * x[i];
    } else {
      for (int k = 0; k < 4; ++k)
        shapes[i].u.block.corner[k / 2][k % 2] = x[i] * (k + 1) + k + i * (k % 2 ? 2 : 3) % 7;
    }
    order[i] = &shapes[i];
  }
  return sizeOf(treeOf(order, n, 0), 0);
}

GRADIENT_CHECK(qsort_addresses_tree, Float, treeOfSorted, In(float, 8), Int(8))
