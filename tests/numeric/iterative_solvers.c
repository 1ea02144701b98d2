// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gauss-Seidel in place, conjugate gradients until the residual is small, and a recursive V-cycle
// over levels that are structures with arrays on the heap.
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

static void gaussSeidel(const double *a, const double *b, double *x, int n) {
  for (int sweep = 0; sweep < 4; sweep++)
    for (int i = 0; i < n; i++) {
      double sum = b[i];
      for (int j = 0; j < n; j++)
        if (j != i)
          sum -= a[i * n + j] * x[j];
      x[i] = sum / (2 * n + a[i * n + i]);
    }
}

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

static double conjugateGradients(const double *a, const double *b, double *x, int n) {
  double r[6], p[6], q[6];
  for (int i = 0; i < n; i++) {
    x[i] = 0;
    p[i] = r[i] = b[i];
  }
  double rr = dot(r, r, n);
  for (int it = 0; it < n && rr > 1e-6; it++) {
    for (int i = 0; i < n; i++)
      q[i] = 5 * p[i] + a[i] * dot(a, p, n);
    double alpha = rr / dot(p, q, n);
    for (int i = 0; i < n; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    double next = dot(r, r, n), beta = next / rr;
    for (int i = 0; i < n; i++)
      p[i] = r[i] + beta * p[i];
    rr = next;
  }
  return dot(x, b, n);
}

struct Level {
  int n;
  double *u, *f, *rest, h;
};

static void smooth(struct Level *l, double c, int sweeps) {
  for (; sweeps--;)
    for (int colour = 0; colour < 2; colour++)
      for (int i = 1 + colour; i < l->n; i += 2)
        l->u[i] = (l->f[i] * l->h * l->h + l->u[i - 1] + l->u[i + 1]) / (2 + c * l->h * l->h);
}

static void cycle(struct Level *levels, int depth, int count, const double *c) {
  struct Level *fine = &levels[depth], *coarse = &levels[depth + 1];
  if (depth == count - 1) {
    smooth(fine, *c, 10);
    return;
  }
  smooth(fine, *c, 2);
  for (int i = 1; i < fine->n; i++)
    fine->rest[i] = fine->f[i] - *c * fine->u[i] -
                    (2 * fine->u[i] - fine->u[i - 1] - fine->u[i + 1]) / (fine->h * fine->h);
  memset(coarse->u, 0, (coarse->n + 1) * sizeof(double));
  for (int i = 1; i < coarse->n; i++)
    coarse->f[i] = 0.25 * (fine->rest[2 * i - 1] + 2 * fine->rest[2 * i] + fine->rest[2 * i + 1]);
  cycle(levels, depth + 1, count, c);
  for (int i = 0; i < coarse->n; i++) {
    fine->u[2 * i] += coarse->u[i];
    fine->u[2 * i + 1] += 0.5 * (coarse->u[i] + coarse->u[i + 1]);
  }
  smooth(fine, *c, 2);
}

static double levels(const double *f, double c, double *u, int n) {
  struct Level l[3];
  int count = 0;
  for (int m = n; m >= 4 && count < 3; m /= 2, count++) {
    l[count].n = m;
    l[count].h = 1.0 / m;
    l[count].u = calloc(m + 1, sizeof(double));
    l[count].f = calloc(m + 1, sizeof(double));
    l[count].rest = calloc(m + 1, sizeof(double));
  }
  memcpy(l[0].f, f, (n + 1) * sizeof *f);
  for (int k = 0; k < 3; k++)
    cycle(l, 0, count, &c);
  memcpy(u, l[0].u, (n + 1) * sizeof *u);
  double sum = 0;
  for (int i = 0; i <= n; i++)
    sum += u[i] * f[i];
  for (int k = 0; k < count; k++) {
    free(l[k].u);
    free(l[k].f);
    free(l[k].rest);
  }
  return sum / n;
}

GRADIENT_CHECK(gauss_seidel, Void, gaussSeidel, In(double, 16), In(double, 4), InOut(double, 4),
               Int(4))
GRADIENT_CHECK(conjugate_gradients, Double, conjugateGradients, In(double, 6), In(double, 6),
               Out(double, 6), Int(6))
GRADIENT_CHECK(multigrid_levels, Double, levels, In(double, 17), Scalar(double), Out(double, 17),
               Int(16))
