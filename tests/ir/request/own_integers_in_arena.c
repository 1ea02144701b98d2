// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of the caller's, whose shadow is the array itself, go to memory that holds floats and
// addresses at other times. They have no adjoint, and nothing is written where they are: they may
// be constants, and two of them in a word may look like an address.
//
// RUN: %cf_clang -O0 %s -o %t && %t | FileCheck %s
// RUN: %cf_clang -O2 %s -o %t && %t | FileCheck %s
// RUN: %cf_clang -O2 -DWRITABLE %s -o %t && %t | FileCheck %s
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern int enzyme_dup;
extern void __enzyme_autodiff(void *, ...);

struct arena {
  char *base;
  size_t used;
};

static void *take(struct arena *a, size_t bytes) {
  size_t at = (a->used + 15) / 16 * 16;
  a->used = at + bytes;
  return a->base + at;
}

struct record {
  int id;
  float weight;
  double value;
  struct record *next;
};
struct pair {
  float a, b;
};
struct problem {
  int n;
  const int *k;
  double *x;
};

static struct record *make(struct arena *a, struct problem *p, int i, double *values, double s) {
  struct record *q = take(a, sizeof *q);
  q->id = p->k[i];
  q->weight = (float)p->x[i];
  q->value = sin(p->x[i] + s);
  values[i] = q->value;
  if (i % 2) {
    struct pair *two = take(a, sizeof *two);
    two->a = q->weight;
    two->b = (float)q->value;
    values[i] = two->a * two->b;
  }
  return q;
}

static double run(struct problem *p) {
  double s = .3, r = 0;
  struct arena a = {malloc(4096), 0};
  for (int pass = 0; pass < 2; pass++) {
    struct record *head = NULL;
    double *values = take(&a, p->n * sizeof(double));
    const size_t mark = a.used;
    for (int i = 0; i < p->n; i++) {
      struct record *q = make(&a, p, i, values, s);
      q->next = head;
      head = q;
    }
    for (struct record *q = head; q; q = q->next) {
      r += q->value * q->weight;
      values[q->id % p->n] += r * .1;
    }
    for (int i = 0; i < p->n; i++)
      r += values[i] * .1;
    a.used = mark;
    s = tanh(r);
  }
  free(a.base);
  return s;
}

#ifdef WRITABLE
static int K[4] = {2, 1, 2, 1};
#else
static const int K[4] = {2, 1, 2, 1};
#endif

int main(void) {
  double x[4] = {.5, .6, .7, .8}, g[4] = {0};
  struct problem p = {4, K, x}, bar = {0, K, g};
  double differences[4];
  __enzyme_autodiff((void *)run, enzyme_dup, &p, &bar);
  for (int i = 0; i < 4; i++) {
    const double at = x[i], h = 1e-4;
    x[i] = at + h;
    const double high = run(&p);
    x[i] = at - h;
    differences[i] = (high - run(&p)) / (2 * h);
    x[i] = at;
    if (fabs(differences[i] - g[i]) > 1e-3)
      printf("%g is %g\n", g[i], differences[i]);
  }
  // CHECK-NOT: is
  // CHECK: 2 1 2 1
  printf("%d %d %d %d\n", K[0], K[1], K[2], K[3]);
  return 0;
}
