// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of structures shared by the team, and a structure of pointers.
// Supports: captured scalars, records, classes
#include "GradientCheck.h"

typedef struct {
  double mass, x[2], f[2];
} Particle;

typedef struct {
  double *u, *v;
  const double *k;
  int n;
} Fields;

static double springs(double *state, int n) {
  Particle *p = (Particle *)state;
#pragma omp parallel for
  for (int i = 1; i < n - 1; i++)
    for (int d = 0; d < 2; d++)
      p[i].f[d] = (p[i - 1].x[d] - 2 * p[i].x[d] + p[i + 1].x[d]) / p[i].mass;
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    p[i].x[0] += 0.1 * p[i].f[0];
    p[i].x[1] += 0.1 * p[i].f[1] * p[i].mass;
    sum += p[i].x[0] * p[i].x[1];
  }
  return sum;
}

static void relax(Fields *f) {
#pragma omp parallel for
  for (int i = 1; i < f->n - 1; i++)
    f->v[i] = f->u[i] + f->k[i] * (f->u[i - 1] - 2 * f->u[i] + f->u[i + 1]) * f->u[i];
}

static void fields(double *u, double *v, const double *k, int n) {
  Fields f = {u, v, k, n};
  relax(&f);
  f.u = v;
  f.v = u;
  relax(&f);
}

GRADIENT_CHECK(records_springs, Double, springs, InOut(double, 90), Int(18))
GRADIENT_CHECK(records_fields, Void, fields, InOut(double, 34), InOut(double, 34), In(double, 34),
               Int(34))
