// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures in which arrays lie between other members: an index of unknown value stays in them.
// Supports: structures with arrays between other members
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct Small {
  int n;
  double x[3];
  double *p;
};

/* The array is read by an unknown index, the pointer leads to the input. */
static double local(double *x, int n) {
  struct Small s = {3, {0.5, 1, 1.5}, x};
  double sum = 0;
  for (int i = 0; i < n; i++)
    s.x[i % 3] += x[i] * s.x[(i + 1) % s.n];
  for (int i = 0; i < s.n; i++)
    sum += s.x[i] * s.p[i];
  return sum;
}
GRADIENT_CHECK(array_beside_pointer, Double, local, In(double, 5), Int(5))

struct Table {
  double scale;
  double *row[5];
  int order, length;
  double tau[6];
  struct Table *next;
  double weight;
};

__attribute__((noinline)) static double rows(const struct Table *t) {
  double sum = 0;
  for (; t; t = t->next)
    for (int j = 0; j <= t->order; j++)
      for (int i = 0; i < t->length; i++)
        sum += t->tau[j] * t->row[j][i] * t->row[j][i] * t->weight;
  return sum;
}

__attribute__((noinline)) static void shift(struct Table *t) {
  double *last = t->row[t->order];
  for (int j = t->order; j > 0; j--) {
    t->row[j] = t->row[j - 1];
    t->tau[j] = t->tau[j - 1] * t->scale;
  }
  t->row[0] = last;
}

/* Rows of a table that are exchanged, as in a multistep method. */
static double multistep(const double *x, int length, int order) {
  struct Table *first = NULL;
  for (int k = 0; k < 2; k++) {
    struct Table *t = malloc(sizeof *t);
    memset(t, 0, sizeof *t);
    t->next = first;
    t->order = order;
    t->length = length;
    t->scale = x[k];
    t->weight = x[k + 1] * x[k + 1];
    for (int j = 0; j <= order; j++) {
      t->row[j] = malloc(length * sizeof(double));
      t->tau[j] = x[j % length] + j;
      for (int i = 0; i < length; i++)
        t->row[j][i] = x[i] * (j + 1);
    }
    for (int j = 0; j < 3; j++)
      shift(t);
    first = t;
  }
  double sum = rows(first);
  while (first) {
    struct Table *next = first->next;
    for (int j = 0; j <= order; j++)
      free(first->row[j]);
    free(first);
    first = next;
  }
  return sum;
}
GRADIENT_CHECK(table_of_rows, Double, multistep, In(double, 4), Int(4), Int(3))

/* All of a structure moves. */
static double moved(const double *x, int n) {
  struct Small a[4], b, *heap = malloc(n * sizeof *heap);
  double sum = 0;
  double y[3] = {x[0], x[1] * x[2], x[3]};
  for (int i = 0; i < 4; i++) {
    a[i].n = i % 3;
    a[i].p = y + i % 3;
    for (int k = 0; k < 3; k++)
      a[i].x[k] = x[i] * (k + 1);
  }
  b = a[n % 4];
  a[n % 4] = a[(n + 1) % 4];
  a[(n + 1) % 4] = b;
  for (int i = 0; i < n; i++)
    memcpy(&heap[i], &a[i % 4], sizeof b);
  struct Small *more = realloc(heap, 2 * n * sizeof *heap);
  memmove(more + n, more, n * sizeof *more);
  for (int i = 0; i < 2 * n; i++)
    sum += more[i].x[more[i].n] * more[i].p[0] * (i + 1);
  free(more);
  return sum;
}
GRADIENT_CHECK(structures_with_arrays_move, Double, moved, In(double, 4), Int(5))

/* Pointers that walk through the arrays, forwards and backwards. */
static double walked(double *x, int n) {
  struct Table t = {x[0], {x, x + 1, x, x + 1, x}, 4, n, {1, 2, 3, 4, 5, 6}, NULL, x[1]};
  for (double *p = t.tau; p != t.tau + 6; ++p)
    *p *= x[2];
  double sum = 0;
  for (double *p = t.tau + 6; p != t.tau;)
    sum = sum * x[0] + *--p;
  for (double **p = t.row; p < t.row + t.order; ++p)
    sum += (*p)[1] * t.weight;
  return sum * t.scale;
}
GRADIENT_CHECK(walks_through_members, Double, walked, In(double, 4), Int(4))

static double norm(const double *a, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * a[i];
  return sum;
}
__attribute__((noinline)) static double norm_of(const double *a, int n) { return norm(a, n); }

/* One function gets arrays inside and outside of structures. */
static double both(const double *x, int n) {
  struct Small s = {3, {x[0], x[1], x[2]}, NULL};
  double *heap = malloc(n * sizeof(double)), *copy = malloc(n * sizeof(double));
  memcpy(heap, x, n * sizeof(double));
  memcpy(copy, heap, n * sizeof(double));
  s.p = heap;
  double sum = norm_of(s.x, s.n) * norm_of(heap, n) + norm_of(copy, n) * s.p[n - 1];
  free(heap);
  free(copy);
  return sum;
}
GRADIENT_CHECK(arrays_inside_and_outside, Double, both, In(double, 5), Int(5))

/* The members are read as one array. */
struct Flat {
  double a, b, c[3], d;
  int n;
  double *p;
};
static double flat(double *x, int n) {
  struct Flat f = {x[0], x[1], {x[2], x[3], 1}, 2, n, x};
  const double *all = &f.a;
  double sum = 0;
  for (int i = 0; i < f.n; i++)
    sum = sum * all[i] + f.p[0];
  return sum + f.c[n % 3] * f.d;
}
GRADIENT_CHECK(members_as_one_array, Double, flat, In(double, 4), Int(6))

/* Constants that lead from one small array to the other. */
struct A {
  double a[2];
  int n;
  double b[3];
  double *p;
};
__attribute__((noinline)) static void fill(struct A *s, const double *x, int k) {
  for (int i = k; i < k + 3; i++)
    s->b[i - k] = x[i - k] * x[i - k];
  s->b[k - 4] = x[k - 4] * 2;
  s->a[k - 5] = x[1] * x[2];
  s->n = 2;
}
__attribute__((noinline)) static double use(const struct A *s, int k) {
  double r = 0;
  for (int i = 0; i < s->n; i++)
    r += s->a[i] * s->b[i] * s->p[k - 5];
  return r + s->b[k - 4] * s->b[2];
}
static double tiny(const double *x, int k) {
  double w[2] = {x[0], x[3]};
  struct A *s = calloc(1, sizeof *s);
  s->p = w;
  s->a[1] = x[3];
  fill(s, x, k);
  double r = use(s, k);
  free(s);
  return r;
}
GRADIENT_CHECK(small_arrays, Double, tiny, In(double, 5), Int(5))

/* The array is first in the structure, and the function gets others as well. */
struct B {
  double v[3];
  double *q;
  int n;
};
__attribute__((noinline)) static void scale(double *a, const double *by, int n) {
  for (int i = 0; i < n; i++)
    a[i] *= by[i % 2];
}
static double first(const double *x, int n) {
  struct B *s = malloc(sizeof *s);
  double *h = malloc(n * sizeof *h), *g = malloc(n * sizeof *g);
  memcpy(h, x, n * sizeof *h);
  s->n = 3;
  s->q = h;
  for (int i = 0; i < s->n; i++)
    s->v[i] = x[i];
  scale(s->v, x, s->n);
  scale(h, x + 1, n);
  memcpy(g, h, n * sizeof *h);
  double r = 0;
  for (int i = 0; i < n; i++)
    r += g[i] * s->v[i % s->n] * s->q[i];
  free(h);
  free(g);
  free(s);
  return r;
}
GRADIENT_CHECK(array_comes_first, Double, first, In(double, 6), Int(6))

/* Copies of unknown length. */
struct E {
  int n;
  double x[6];
  double *p;
  double y[6];
};
__attribute__((noinline)) static double parts(struct E *e, const double *x, int n) {
  e->n = n;
  e->p = malloc(n * sizeof(double));
  memcpy(e->x, x, n * sizeof(double));
  memcpy(e->p, e->x, n * sizeof(double));
  memcpy(e->y + 1, e->p, (n - 1) * sizeof(double));
  memmove(e->x + n / 3, e->x, n / 2 * sizeof(double));
  e->y[0] = x[2];
  double r = 0;
  for (int i = 0; i < e->n; i++)
    r += e->x[i] * e->y[i] * e->p[n - 1 - i];
  free(e->p);
  return r;
}
static double partly(const double *x, int n) {
  struct E e;
  memset(&e, 0, sizeof e);
  return parts(&e, x, n);
}
GRADIENT_CHECK(copies_of_member_arrays, Double, partly, In(double, 5), Int(5))

/* A matrix with a right-hand side. */
struct M {
  int r, c;
  double m[3][3];
  const double *rhs;
  double sol[3];
};
static void solve(struct M *m) {
  double *a = &m->m[0][0];
  for (int k = 0; k < m->r; k++)
    for (int i = k + 1; i < m->r; i++) {
      double f = a[i * m->c + k] / a[k * m->c + k];
      for (int j = 0; j < m->c; j++)
        a[i * m->c + j] -= f * m->m[k][j];
      m->sol[i] -= f * m->sol[k];
    }
  for (int k = m->r - 1; k >= 0; k--) {
    for (int j = k + 1; j < m->c; j++)
      m->sol[k] -= m->m[k][j] * m->sol[j];
    m->sol[k] /= a[k * m->c + k];
  }
}
static double matrix(const double *x, int n) {
  struct M m = {n, n, {{4, 1, 0}, {1, 5, 1}, {0, 1, 6}}, x, {0}};
  for (int i = 0; i < n; i++) {
    m.m[i][i] += x[i];
    m.sol[i] = m.rhs[n - 1 - i];
  }
  solve(&m);
  double r = 0;
  for (int i = 0; i < m.r; i++)
    r += m.sol[i] * m.rhs[i];
  return r;
}
GRADIENT_CHECK(matrix_member, Double, matrix, In(double, 3), Int(3))

/* A pointer to an element or to another member. */
struct D {
  double a[4];
  int k;
  double t;
  double *p;
};
static double chosen(double *x, int n) {
  struct D d = {{1, 2, 3, 4}, n, 0, x};
  for (int i = 0; i < n; i++) {
    double *w = i % 3 ? &d.a[i % 4] : &d.t;
    *w += x[i] * d.p[0];
  }
  double r = d.t * d.t;
  for (int i = 0; i < 4; i++)
    r += d.a[i] * d.a[(i + d.k) % 4];
  return r;
}
GRADIENT_CHECK(element_or_member, Double, chosen, In(double, 5), Int(5))

/* Addresses of structures in an array, and of members, are kept: whoever finds them there may come
   to each member of each structure. */
struct Cell {
  void *owner;
  double sum;
  float weight;
};

__attribute__((noinline)) static void set_all(struct Cell *const *cells, const double *x, int n) {
  for (int i = 0; i < n; i++) {
    cells[i]->sum = x[i] * x[i];
    cells[i]->weight = (float)(0.5 * i + 0.25);
  }
}

static double kept_structures(const double *x, int n) {
  struct Cell cells[3], *order[3];
  for (int i = 0; i < n; i++) {
    cells[i].owner = order;
    order[i] = &cells[i];
  }
  set_all(order, x, n);
  return cells[0].sum * cells[1].sum * (double)cells[1].weight + cells[2].sum;
}
GRADIENT_CHECK(kept_structures, Double, kept_structures, In(double, 3), Int(3))

__attribute__((noinline)) static void set_squares(double *const *sums, const double *x, int n) {
  for (int i = 0; i < n; i++)
    *sums[i] = x[i] * x[i];
}

static double kept_members(const double *x, int n) {
  struct Cell cells[3];
  double *order[3];
  for (int i = 0; i < n; i++) {
    cells[i].owner = order;
    order[i] = &cells[i].sum;
  }
  set_squares(order, x, n);
  return cells[0].sum * cells[1].sum + cells[2].sum;
}
GRADIENT_CHECK(kept_members, Double, kept_members, In(double, 3), Int(3))

// Arrays without a length at the end of a structure.
struct Filter {
  int order;
  double gain;
  double taps[];
};
static double levinson(const double *x, int n) {
  const int p = n - 1;
  struct Filter *f = malloc(sizeof *f + n * sizeof *f->taps);
  f->order = 0;
  f->gain = x[0];
  f->taps[0] = 1;
  for (int m = 1; m <= p; ++m) {
    const double k = x[m];
    f->taps[m] = k;
    for (int i = 1, j = m - 1; i <= j; ++i, --j) {
      const double t = f->taps[i];
      f->taps[i] += k * f->taps[j];
      if (i != j)
        f->taps[j] += k * t;
    }
    f->order++;
    f->gain *= k;
  }
  double sum = f->gain;
  for (int i = 1; i <= f->order; ++i)
    sum += f->taps[i] * f->taps[i] * i;
  free(f);
  return sum;
}
GRADIENT_CHECK(flexible_filter, Double, levinson, In(double, 7), Int(7))

struct Line {
  int n;
  struct Line *next;
  float scale;
  struct {
    int column;
    double value;
  } at[];
};
static double lines(const double *x, int n) {
  struct Line *first = NULL;
  for (int i = 0; i < n; ++i) {
    struct Line *r = calloc(1, sizeof *r + (i + 2) * sizeof r->at[0]);
    r->n = i + 1;
    r->scale = (float)i;
    for (int j = 0; j <= i; ++j) {
      r->at[j].column = (i * j) % n;
      r->at[j].value = x[i] * (j + 1);
    }
    r->next = first;
    first = r;
  }
  double sum = 0;
  for (struct Line *r = first, *next; r; r = next) {
    r = realloc(r, sizeof *r + (r->n + 4) * sizeof r->at[0]);
    r->at[r->n].column = 1;
    r->at[r->n++].value = sum;
    for (int j = r->n - 1; j >= 0; --j)
      sum += r->at[j].value * x[r->at[j].column] * r->scale;
    next = r->next;
    free(r);
  }
  return sum;
}
GRADIENT_CHECK(flexible_rows, Double, lines, In(double, 6), Int(6))

struct Wheel {
  unsigned head, size;
  double *last;
  double *slots[];
};
static double turned(const double *x, int n) {
  struct Wheel *r = malloc(sizeof *r + 4 * sizeof(double *));
  r->head = 0;
  r->size = 4;
  for (unsigned i = 0; i < r->size; ++i)
    memset(r->slots[i] = malloc(2 * sizeof(double)), 0, 2 * sizeof(double));
  for (int i = 0; i < n; ++i) {
    r->last = r->slots[r->head++ % r->size];
    r->last[0] = x[i] * r->last[1];
    r->last[1] += sin(x[i]);
  }
  double sum = *r->last;
  for (unsigned i = 0; i < r->size; ++i) {
    sum += r->slots[i][0] * r->slots[i][1];
    free(r->slots[i]);
  }
  free(r);
  return sum;
}
GRADIENT_CHECK(flexible_ring, Double, turned, In(double, 9), Int(9))

/* Copies move the padding of records, beside an array that is read by an unknown index. */
struct Event {
  double time;
  int who;
  double load;
};
struct Queue {
  struct Event events[6];
  int used;
  double state[3];
};

static double queue(const double *x, int n) {
  struct Queue *q = calloc(1, sizeof *q);
  for (int i = 0; i < n; i++)
    q->events[q->used++] = (struct Event){x[i], i % 3, x[i] * x[0]};
  for (int i = 0; i < n; i++) {
    struct Event now = q->events[i];
    q->events[q->used - 1 - i] = now;
    q->state[now.who] += now.load * now.time;
  }
  const double out = q->state[0] * q->state[1] + q->state[2];
  free(q);
  return out;
}
GRADIENT_CHECK(records_with_padding, Double, queue, In(double, 6), Int(6))
