// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that OpenMP programs are made of. Compiled twice, with OpenMP and without, to compare the
// gradient of the parallel program on one thread with that of the serial one.
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>

enum {
  Long = 1000000,
  Side = 64,
  Rows = 60000,
  PerRow = 16,
  Points = 200000,
  Means = 8,
  Bins = 512,
  Order = 384,
  Block = 48,
  Leaf = 4096
};

static double vectors(double a, const double *x, double *y, int n) {
  double dot = 0, norm = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
#pragma omp parallel for reduction(+ : dot, norm)
  for (int i = 0; i < n; i++) {
    dot += x[i] * y[i];
    norm += y[i] * y[i];
  }
  return dot / sqrt(norm);
}

static void stencil27(const double *u, double *v, int n) {
#pragma omp parallel for
  for (int k = 1; k < n - 1; k++)
    for (int j = 1; j < n - 1; j++)
      for (int i = 1; i < n - 1; i++) {
        double sum = 0;
        for (int c = -1; c <= 1; c++)
          for (int b = -1; b <= 1; b++)
            for (int a = -1; a <= 1; a++)
              sum += u[((k + c) * n + j + b) * n + i + a];
        v[(k * n + j) * n + i] = 0.03 * sum * u[(k * n + j) * n + i];
      }
}

static int column(int row, int k, int n) {
  return (int)((row + (long)k * k * 37 + (k % 3) * 11) % n);
}

static int *columnsOf(int n) {
  static int *table;
  if (!table) {
    table = malloc(sizeof(int) * (unsigned long)n * PerRow);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < PerRow; k++)
        table[i * PerRow + k] = column(i, k, n);
  }
  return table;
}

static void sparse(const double *a, const double *x, double *y, const int *columns, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < PerRow; k++)
      sum += a[i * PerRow + k] * x[columns[i * PerRow + k]];
    y[i] = sum;
  }
}

static void sparseProduct(const double *a, const double *x, double *y, int n) {
  sparse(a, x, y, columnsOf(n), n);
}

static void edges(const double *u, const double *w, double *r, const int *ends, int n) {
#pragma omp parallel for
  for (int e = 0; e < n; e++) {
    const int i = ends[e * PerRow], j = ends[e * PerRow + 1];
    const double flux = w[e] * (u[i] - u[j]) * (u[i] + u[j]);
#pragma omp atomic
    r[i] += flux;
#pragma omp atomic
    r[j] -= flux;
  }
}

static void edgeLoop(const double *u, const double *w, double *r, int n) {
  edges(u, w, r, columnsOf(n), n);
}

static double means(const double *points, const double *centres, int n) {
  double cost = 0;
#pragma omp parallel for reduction(+ : cost)
  for (int i = 0; i < n; i++) {
    double best = 1e30;
    for (int c = 0; c < Means; c++) {
      const double dx = points[2 * i] - centres[2 * c], dy = points[2 * i + 1] - centres[2 * c + 1];
      const double far = dx * dx + dy * dy;
      best = far < best ? far : best;
    }
    cost += best;
  }
  return cost;
}

static double histogram(const double *x, const double *w, int n) {
  double bins[Bins] = {0}, sum = 0;
#pragma omp parallel for reduction(+ : bins)
  for (int i = 0; i < n; i++) {
    const int b = (i * 7 + (i >> 5)) % Bins;
    bins[b] += w[b] * x[i] * x[i];
  }
  for (int b = 0; b < Bins; b++)
    sum += bins[b] * bins[b];
  return sum;
}

static double tree(const double *x, int n) {
  if (n <= Leaf) {
    double s = 0;
    for (int i = 0; i < n; i++)
      s += x[i] * sqrt(x[i]);
    return s;
  }
  double a, b;
#pragma omp task shared(a)
  a = tree(x, n / 2);
#pragma omp task shared(b)
  b = tree(x + n / 2, n - n / 2);
#pragma omp taskwait
  return a + b;
}

static double taskSum(const double *x, int n) {
  double sum = 0;
#pragma omp parallel
#pragma omp single
  sum = tree(x, n);
  return sum;
}

static void factorLu(double *a, int n, int b) {
  for (int k = 0; k < b; k++)
    for (int i = k + 1; i < b; i++) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < b; j++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

static void lower(const double *l, double *a, int n, int b) {
  for (int k = 0; k < b; k++)
    for (int i = k + 1; i < b; i++)
      for (int j = 0; j < b; j++)
        a[i * n + j] -= l[i * n + k] * a[k * n + j];
}

static void upper(const double *u, double *a, int n, int b) {
  for (int i = 0; i < b; i++)
    for (int k = 0; k < b; k++) {
      a[i * n + k] /= u[k * n + k];
      for (int j = k + 1; j < b; j++)
        a[i * n + j] -= a[i * n + k] * u[k * n + j];
    }
}

static void update(const double *x, const double *y, double *c, int n, int b) {
  for (int i = 0; i < b; i++)
    for (int k = 0; k < b; k++)
      for (int j = 0; j < b; j++)
        c[i * n + j] -= x[i * n + k] * y[k * n + j];
}

static void luTasks(double *a, int n, int b) {
  for (int i = 0; i < n; i++)
    a[i * n + i] += n;
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < n; k += b) {
#pragma omp task depend(inout : a[k * n + k])
    factorLu(a + k * n + k, n, b);
    for (int j = k + b; j < n; j += b) {
#pragma omp task depend(in : a[k * n + k]) depend(inout : a[k * n + j])
      lower(a + k * n + k, a + k * n + j, n, b);
#pragma omp task depend(in : a[k * n + k]) depend(inout : a[j * n + k])
      upper(a + k * n + k, a + j * n + k, n, b);
    }
    for (int i = k + b; i < n; i += b)
      for (int j = k + b; j < n; j += b) {
#pragma omp task depend(in : a[i * n + k], a[k * n + j]) depend(inout : a[i * n + j])
        update(a + i * n + k, a + k * n + j, a + i * n + j, n, b);
      }
  }
}

static void factorCholesky(double *a, int n, int b) {
  for (int j = 0; j < b; j++) {
    for (int m = 0; m < j; m++)
      a[j * n + j] -= a[j * n + m] * a[j * n + m];
    a[j * n + j] = sqrt(a[j * n + j]);
    for (int i = j + 1; i < b; i++) {
      for (int m = 0; m < j; m++)
        a[i * n + j] -= a[i * n + m] * a[j * n + m];
      a[i * n + j] /= a[j * n + j];
    }
  }
}

static void solve(const double *l, double *a, int n, int b) {
  for (int i = 0; i < b; i++)
    for (int j = 0; j < b; j++) {
      double s = a[i * n + j];
      for (int m = 0; m < j; m++)
        s -= a[i * n + m] * l[j * n + m];
      a[i * n + j] = s / l[j * n + j];
    }
}

static void product(const double *x, const double *y, double *c, int n, int b) {
  for (int i = 0; i < b; i++)
    for (int j = 0; j < b; j++) {
      double s = c[i * n + j];
      for (int m = 0; m < b; m++)
        s -= x[i * n + m] * y[j * n + m];
      c[i * n + j] = s;
    }
}

static void cholesky(double *a, int n, int b) {
  for (int i = 0; i < n; i++)
    a[i * n + i] += n;
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < n; k += b) {
#pragma omp task depend(inout : a[k * n + k])
    factorCholesky(a + k * n + k, n, b);
    for (int i = k + b; i < n; i += b) {
#pragma omp task depend(in : a[k * n + k]) depend(inout : a[i * n + k])
      solve(a + k * n + k, a + i * n + k, n, b);
    }
    for (int i = k + b; i < n; i += b)
      for (int j = k + b; j <= i; j += b) {
#pragma omp task depend(in : a[i * n + k], a[j * n + k]) depend(inout : a[i * n + j])
        product(a + i * n + k, a + j * n + k, a + i * n + j, n, b);
      }
  }
}

GRADIENT_CHECK(figures_vectors, Double, vectors, Scalar(double), In(double, Long),
               InOut(double, Long), Int(Long))
GRADIENT_CHECK(figures_stencil27, Void, stencil27, In(double, Side * Side * Side),
               InOut(double, Side * Side * Side), Int(Side))
GRADIENT_CHECK(figures_sparse, Void, sparseProduct, In(double, Rows *PerRow), In(double, Rows),
               Out(double, Rows), Int(Rows))
GRADIENT_CHECK(figures_edges, Void, edgeLoop, In(double, Rows), In(double, Rows),
               InOut(double, Rows), Int(Rows))
GRADIENT_CHECK(figures_means, Double, means, In(double, 2 * Points), In(double, 2 * Means),
               Int(Points))
GRADIENT_CHECK(figures_histogram, Double, histogram, In(double, Long), In(double, Bins), Int(Long))
GRADIENT_CHECK(figures_task_sum, Double, taskSum, In(double, Long), Int(Long))
GRADIENT_CHECK(figures_lu_tasks, Void, luTasks, InOut(double, Order *Order), Int(Order), Int(Block))
GRADIENT_CHECK(figures_cholesky_tasks, Void, cholesky, InOut(double, Order *Order), Int(Order),
               Int(Block))
