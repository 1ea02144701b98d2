// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash table with chains and void pointers; hash and destructor are function pointers.
// Supports: function pointers, tables of functions, callbacks
#include "GradientCheck.h"
#include <stdlib.h>
struct ent {
  struct ent *next;
  int key;
  void *payload;
};
struct tab {
  struct ent **b;
  int n;
  unsigned (*hash)(int);
  void (*drop)(void *);
};
static unsigned h1(int k) { return k * 2654435761u; }
static unsigned h2(int k) { return k ^ 7; }
static void dropd(void *p) { free(p); }
static double *get(struct tab *t, int k) {
  struct ent **e = &t->b[t->hash(k) % t->n];
  while (*e && (*e)->key != k)
    e = &(*e)->next;
  if (!*e) {
    *e = malloc(sizeof **e);
    (*e)->next = 0;
    (*e)->key = k;
    (*e)->payload = calloc(1, sizeof(double));
  }
  return (*e)->payload;
}
static double f(const double *x, double a, int n) {
  struct tab t = {calloc(4, sizeof(void *)), 4, n % 2 ? h1 : h2, dropd};
  for (int i = 0; i < n; i++) {
    *get(&t, i * 3) += x[i] * a;
    *get(&t, i) *= x[i];
  }
  double s = 0;
  for (int i = 0; i < t.n; i++) {
    struct ent *e = t.b[i];
    while (e) {
      double v = *(double *)e->payload;
      s += v * v * (e->key + 1);
      struct ent *nx = e->next;
      t.drop(e->payload);
      free(e);
      e = nx;
    }
  }
  free(t.b);
  return s;
}
GRADIENT_CHECK(hash_table, Double, f, In(double, 7), Scalar(double), Int(7))
