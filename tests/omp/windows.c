// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are read through indices: what a thread adds to their adjoints is kept in windows.
// Supports: arrays that are read through indices, with few atomic updates
#include "GradientCheck.h"
#include <stdlib.h>

// Larger and smaller than what a window begins with, forwards and backwards, far apart.
static int at(int i, int n) { return (int)((i * 7 + (i >> 2)) % n); }
static double csr(const double *a, const double *x, double *y, int n, int m) {
  int *col = malloc(n * m * sizeof *col);
  for (int i = 0; i < n * m; i++)
    col[i] = at(i, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = 0; k < m; k++)
      s += a[i * m + k] * x[col[i * m + k]];
    y[i] = s;
  }
  free(col);
  return y[0];
}
// What walks evenly is apart from what goes through indices, or is found not to be when it runs.
static void beside(const double *w, const double *x, double *y, int n) {
  const double *p = n % 2 ? w : x;
#pragma omp parallel
  for (int t = 0; t < 2; t++) {
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      y[i] += w[i - 1] * x[at(i, n)] * w[i + 1];
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      y[i] *= 0.5 * p[i - 1] * x[at(i, n)] * p[i + 1];
  }
}
// Each thread reads what it has written, through another name.
static double inPlace(double *x, int n, int m) {
  double *y = x + (n > 0 ? 0 : 1);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < n; b += m) {
    for (int r = 0; r < 40; r++) {
      for (int k = 0; k < m; k++)
        y[b + k] = 0.3 * x[b + at(k + r, m)] * x[b + at(3 * k, m)] + 0.5;
    }
  }
  return x[0] * x[n - 1];
}
static double histo(const double *x, const double *w, int n) {
  double bins[32] = {0}, s = 0;
#pragma omp parallel for reduction(+ : bins)
  for (int i = 0; i < n; i++) {
    int b = at(i, 32);
    bins[b] += w[b] * x[i] * x[i];
  }
  for (int b = 0; b < 32; b++)
    s += bins[b] * bins[b];
  return s;
}
static double edges(const double *u, double *r, int n, int m) {
  for (int t = 0; t < 2; t++)
#pragma omp parallel for schedule(dynamic, 16)
    for (int e = 0; e < m; e++) {
      int i = at(e, n), j = at(e + 3, n);
      double f = (u[i] - u[j]) * (u[i] + u[j]);
#pragma omp atomic
      r[i] += f;
#pragma omp atomic
      r[j] -= f * 0.5;
    }
  return r[0];
}
static double inreg(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel reduction(+ : s)
  for (int t = 0; t < 3; t++) {
#pragma omp for
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 20; k++)
        y[i] += x[at(i + k, n)] * x[i];
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      s += y[at(i, n)] * x[at(2 * i, n)];
#pragma omp barrier
  }
  return s;
}
static double singles(const double *x, double *y, int n) {
  float *f = malloc(n * sizeof *f);
  double s = 0;
  for (int i = 0; i < n; i++)
    f[i] = (float)(int)(x[i] * 4);
  double *g = malloc(n * sizeof *g);
  for (int i = 0; i < n; i++)
    g[n - 1 - i] = x[i];
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    double t = 0;
    for (int k = 0; k < 30; k++)
      t += g[at(i * 3 + k, n)] * f[at(k, n)];
    y[i] = t;
    s += t;
  }
  free(g);
  free(f);
  return s;
}
static double far(const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n / 8; i++) {
    double t = 0;
    for (int k = 0; k < 40; k++)
      t += x[k % 3 == 2 ? n - 1 - at(k + i, 64) : at(i - k + 64, 900)] * x[at(i * 97 + k * 31, n)];
    y[i] = t;
  }
  return y[n / 16];
}
struct record {
  double a;
  float b;
  int c;
  double v[2];
};
static double recs(const double *x, double *y, int n) {
  struct record *r = malloc(n * sizeof *r);
  for (int i = 0; i < n; i++) {
    r[i].a = x[i];
    r[i].b = (float)x[i] * 0;
    r[i].c = at(i, n);
    r[i].v[0] = x[i] * x[i];
    r[i].v[1] = 1 / x[i];
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double t = 0;
    for (int k = 0; k < 25; k++) {
      int j = r[(i + k) % n].c;
      t += r[j].a * r[j].v[k % 2] + r[j].b;
    }
    y[i] = t * r[i].v[1];
  }
  free(r);
  return y[3];
}
static double tasks(const double *x, double *y, int n) {
#pragma omp parallel
#pragma omp single
  for (int b = 0; b < n; b += 20)
#pragma omp task firstprivate(b)
    for (int i = b; i < b + 20 && i < n; i++) {
      double t = 0;
      for (int k = 0; k < 25; k++)
        t += x[at(i * k, n)] * x[i];
      y[i] = t;
    }
  return y[0];
}
GRADIENT_CHECK(windows_beside, Void, beside, In(double, 300), In(double, 300), InOut(double, 300),
               Int(300))
GRADIENT_CHECK(window_csr, Double, csr, In(double, 1600), In(double, 200), Out(double, 200),
               Int(200), Int(8))
GRADIENT_CHECK(window_in_place, Double, inPlace, InOut(double, 96), Int(96), Int(12))
GRADIENT_CHECK(window_histo, Double, histo, In(double, 700), In(double, 32), Int(700))
GRADIENT_CHECK(window_edges, Double, edges, In(double, 50), InOut(double, 50), Int(50), Int(800))
GRADIENT_CHECK(window_inreg, Double, inreg, In(double, 60), InOut(double, 60), Int(60))
GRADIENT_CHECK(window_singles, Double, singles, In(double, 60), Out(double, 60), Int(60))
GRADIENT_CHECK(window_far, Double, far, In(double, 3000), Out(double, 375), Int(3000))
GRADIENT_CHECK(window_recs, Double, recs, In(double, 60), Out(double, 60), Int(60))
GRADIENT_CHECK(window_tasks, Double, tasks, In(double, 100), Out(double, 100), Int(100))
