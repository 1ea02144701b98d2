// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are read through indices, where the threads know each other's ranges when the reverse
// begins: apart, overlapping, one inside of the other, and beside updates of other kinds.
#include "GradientCheck.h"
#include <omp.h>
#include <stdlib.h>

static int *table(int n, int m, int way) {
  int *t = malloc(sizeof *t * n * m);
  for (int i = 0; i < n * m; i++)
    t[i] = way ? (i / m + way * (i % m)) % n : (int)((i * 31L + (i >> 3)) % n);
  return t;
}

// Each thread comes to a part of u, and a little further.
static double mesh(const double *u, const double *w, double *r, int n, int way) {
  int *t = table(n, 2, way);
  double s = 0;
#pragma omp parallel for
  for (int e = 0; e < n; e++) {
    const double f = w[e] * (u[t[2 * e]] - u[t[2 * e + 1]]) * (u[t[2 * e]] + 1);
#pragma omp atomic
    r[t[2 * e]] += f;
#pragma omp atomic
    r[t[2 * e + 1]] -= f;
  }
  for (int i = 0; i < n; i++)
    s += r[i] * r[i];
  free(t);
  return s;
}

// Two arrays of one block through the same indices, in several rounds, beside a stencil.
static double rounds(const double *x, double *y, int n, int way) {
  int *t = table(n, 3, way);
#pragma omp parallel
  for (int k = 0; k < 3; k++) {
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      y[i] += 0.1 * x[t[3 * i]] * x[n + t[3 * i + 1]] + x[2 * n + i - 1] * x[2 * n + i + 1];
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      y[i] *= 0.5 + 0.1 * x[i] * x[n + t[3 * i + 2]];
  }
  free(t);
  return y[1] * y[n / 2];
}

// Other threads add to x before and behind the loop, and to what is read evenly in it.
static double outside(const double *x, double *y, int n, int way) {
  int *t = table(n, 1, way);
  double s = 0;
#pragma omp parallel reduction(+ : s)
  {
    const double part = 1.0 / omp_get_num_threads();
    s += part * x[n / 2] * x[n - 1];
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      y[i] = x[t[i]] * x[t[i]] + x[i];
    s += part * x[n / 3] * x[0];
  }
  free(t);
  return s;
}

// Numbers of two kinds side by side; only some iterations come to them.
struct node {
  double p;
  float q, z;
  int next;
};
static double nodes(const double *x, double *y, int n, int way) {
  struct node *all = malloc(sizeof *all * n);
  int *t = table(n, 1, way);
  for (int i = 0; i < n; i++)
    all[i] = (struct node){x[i], (float)(0.25 * (int)(4 * x[i])), 0, t[i]};
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) {
    const struct node *a = &all[all[i].next];
    if (i % 3)
      y[i] = a->p * a->q + a->p;
    else
      y[i] = 0.5 * all[i].p;
  }
  free(t);
  free(all);
  return y[n - 1];
}

// Each thread has its own part, through pointers to parts.
static double parts(const double *x, double *y, int n, int m) {
  const double **rows = malloc(sizeof *rows * n);
  for (int i = 0; i < n; i++)
    rows[i] = x + (n - 1 - i) * m;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) {
    double s = 1;
    for (int k = 0; k < m; k++)
      s *= 1 + 0.1 * rows[i][(k * 3) % m];
    y[i] = s;
  }
  free(rows);
  return y[0] * y[n - 1];
}

// The remainders of a division, negative in some threads, and bits of a number say where a thread
// comes to, in a table between what is walked evenly; one table in two nests.
static double remainders(const double *v, double *y, int n, int shift) {
  const double *front = v, *middle = v + n + 30, *mask = v + n + 61, *behind = v + n + 77;
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += front[i] * middle[(i * 7 - shift) % 31] * mask[(i * 5 >> 2) & 15] * behind[i];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < 3; k++)
      sum += middle[(i - k * shift) % 19] * behind[i];
    y[i] = sum * front[i];
  }
  return s * s + y[0] * y[n - 1];
}

GRADIENT_CHECK(cover_remainders, Double, remainders, In(double, 477), Out(double, 200), Int(200),
               Int(700))
GRADIENT_CHECK(cover_positive_remainders, Double, remainders, In(double, 277), Out(double, 100),
               Int(100), Int(0))
GRADIENT_CHECK(cover_edges, Double, mesh, In(double, 400), In(double, 400), InOut(double, 400),
               Int(400), Int(5))
GRADIENT_CHECK(cover_mixed, Double, mesh, In(double, 700), In(double, 700), InOut(double, 700),
               Int(700), Int(0))
GRADIENT_CHECK(cover_wrapped, Double, mesh, In(double, 300), In(double, 300), InOut(double, 300),
               Int(300), Int(299))
GRADIENT_CHECK(cover_rounds, Double, rounds, In(double, 900), InOut(double, 300), Int(300), Int(1))
GRADIENT_CHECK(cover_rounds_mixed, Double, rounds, In(double, 900), InOut(double, 300), Int(300),
               Int(0))
GRADIENT_CHECK(cover_outside, Double, outside, In(double, 200), Out(double, 200), Int(200), Int(2))
GRADIENT_CHECK(cover_nodes, Double, nodes, In(double, 240), Out(double, 240), Int(240), Int(1))
GRADIENT_CHECK(cover_nodes_mixed, Double, nodes, In(double, 240), Out(double, 240), Int(240),
               Int(0))
GRADIENT_CHECK(cover_parts, Double, parts, In(double, 600), Out(double, 60), Int(60), Int(10))
