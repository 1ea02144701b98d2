// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs of the kinds that OpenMP is used for, several constructs at a time.
// Supports: kernels: Jacobi, sparse matrices, k-means, LU, histograms, time loops with reductions
#pragma clang diagnostic ignored "-Wpass-failed" // not every simd loop is vectorised
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

// One region for all time steps; pointers are exchanged by each thread for itself.
static double jacobi(const double *x, double *y, int n, int steps) {
  double *a = (double *)malloc(n * sizeof *a), *b = (double *)malloc(n * sizeof *b), r = 0;
  memcpy(a, x, n * sizeof *a);
  memcpy(b, x, n * sizeof *b);
#pragma omp parallel
  {
    double *from = a, *to = b;
    for (int s = 0; s < steps; s++) {
#pragma omp for
      for (int i = 1; i < n - 1; i++)
        to[i] = 0.25 * (from[i - 1] + 2 * from[i] + from[i + 1] * from[i]);
#pragma omp single
      {
        to[0] = from[1] * 0.5;
        to[n - 1] = from[n - 2];
      }
      double *swap = from;
      from = to;
      to = swap;
    }
#pragma omp for reduction(+ : r)
    for (int i = 0; i < n; i++) {
      y[i] = from[i];
      r += from[i] * from[i];
    }
  }
  free(a);
  free(b);
  return r;
}

// Until the change is small, which a shared sum says.
static double relaxation(const double *x, double *y, int n) {
  double change = 1;
  int rounds = 0;
  for (int i = 0; i < n; i++)
    y[i] = 1;
#pragma omp parallel
  {
    double was = 1;
    while (was > 1e-2 && rounds < 40) {
#pragma omp barrier
#pragma omp single
      {
        change = 0;
        rounds++;
      }
#pragma omp for reduction(+ : change)
      for (int i = 0; i < n; i++) {
        double next = 0.5 * (y[i] + x[i] / y[i]);
        change += fabs(next - y[i]);
        y[i] = next;
      }
      was = change;
    }
  }
  return y[0] * y[n - 1];
}

static double sparse(const double *x, double *y, int n) {
  int start[16], column[64], entries = 0;
  double values[64], norm = 0;
  for (int i = 0; i < n; i++) {
    start[i] = entries;
    for (int j = 0; j < n; j++)
      if ((i * 7 + j * 3) % 4 == 0) {
        values[entries] = x[i] * x[j];
        column[entries++] = j;
      }
  }
  start[n] = entries;
#pragma omp parallel for schedule(guided) reduction(+ : norm)
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      s += values[k] * x[column[k]];
    y[i] = s;
    norm += s * s;
  }
  norm = sqrt(norm);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] /= norm;
  return norm;
}

static double kmeans(const double *x, double *centres, int n, int k) {
  double cost = 0;
  for (int round = 0; round < 3; round++) {
    double sum[4] = {0};
    int count[4] = {0};
    cost = 0;
#pragma omp parallel for reduction(+ : sum, count, cost)
    for (int i = 0; i < n; i++) {
      int best = 0;
      for (int c = 1; c < k; c++)
        if (fabs(x[i] - centres[c]) < fabs(x[i] - centres[best]))
          best = c;
      sum[best] += x[i];
      count[best]++;
      cost += (x[i] - centres[best]) * (x[i] - centres[best]);
    }
    for (int c = 0; c < k; c++)
      if (count[c])
        centres[c] = sum[c] / count[c];
  }
  return cost;
}

static double lu(const double *x, double *y, int n) {
  double a[49], det = 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[n * i + j] = (i == j ? 3 : 0) + x[i] * x[j] + 0.1 * i;
  for (int k = 0; k < n - 1; k++) {
#pragma omp parallel for schedule(dynamic)
    for (int i = k + 1; i < n; i++) {
      double f = a[n * i + k] / a[n * k + k];
#pragma omp simd
      for (int j = k; j < n; j++)
        a[n * i + j] -= f * a[n * k + j];
      a[n * i + k] = f;
    }
  }
#pragma omp parallel for reduction(* : det)
  for (int i = 0; i < n; i++) {
    det *= a[n * i + i];
    y[i] = a[n * i + i];
  }
  return det;
}

// Private histograms, merged under a lock each.
static double histogram(const double *x, double *bins, int n, int m) {
  omp_lock_t locks[5];
  for (int b = 0; b < m; b++)
    omp_init_lock(locks + b);
#pragma omp parallel
  {
    double mine[5] = {0};
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      int b = (int)(x[i] * 3) % m;
      mine[b] += x[i] * x[i];
    }
    for (int b = 0; b < m; b++) {
      omp_set_lock(locks + b);
      bins[b] += mine[b];
      omp_unset_lock(locks + b);
    }
  }
  double s = 0;
  for (int b = 0; b < m; b++) {
    s += bins[b] * bins[b];
    omp_destroy_lock(locks + b);
  }
  return s;
}

static void edges(const double *x, double *y, int n) {
#pragma omp parallel for
  for (int e = 0; e < 2 * n; e++) {
    int a = e % n, b = (3 * e + 1) % n;
    double flux = (x[a] - x[b]) * (x[a] + x[b]) * 0.5;
#pragma omp atomic
    y[a] -= flux;
#pragma omp atomic
    y[b] += flux;
  }
}

// A prefix sum by hand: sums of blocks, then offsets.
static double prefix(const double *x, double *y, int n) {
  double part[9] = {0};
#pragma omp parallel num_threads(4)
  {
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    double s = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) {
      s += x[i] * x[i];
      y[i] = s;
    }
    part[me + 1] = s;
#pragma omp barrier
    double offset = 0;
    for (int t = 0; t <= me; t++)
      offset += part[t];
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      y[i] += offset;
    (void)all;
  }
  return y[n - 1];
}

static void sortedBlocks(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
  for (int phase = 0; phase < n; phase++) {
#pragma omp parallel for
    for (int i = phase % 2; i < n - 1; i += 2)
      if (y[i] > y[i + 1]) {
        double t = y[i];
        y[i] = y[i + 1];
        y[i + 1] = t * 1.25;
      }
  }
}

// Particles in structures, forces by pairs, energy by a reduction.
struct particle {
  double at[2], speed[2], force[2];
};

static double dynamics(const double *x, int n, int steps) {
  struct particle p[6];
  double energy = 0;
  for (int i = 0; i < n; i++)
    p[i] = (struct particle){{x[i] + i, x[n - 1 - i]}, {0.1 * x[i], 0}, {0, 0}};
  for (int s = 0; s < steps; s++) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (int i = 0; i < n; i++) {
        p[i].force[0] = p[i].force[1] = 0;
        for (int j = 0; j < n; j++) {
          if (i == j)
            continue;
          double d[2] = {p[j].at[0] - p[i].at[0], p[j].at[1] - p[i].at[1]};
          double r = d[0] * d[0] + d[1] * d[1] + 0.1;
          p[i].force[0] += d[0] / (r * sqrt(r));
          p[i].force[1] += d[1] / (r * sqrt(r));
        }
      }
#pragma omp for
      for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
          p[i].speed[k] += 0.05 * p[i].force[k];
          p[i].at[k] += 0.05 * p[i].speed[k];
        }
    }
  }
#pragma omp parallel for reduction(+ : energy)
  for (int i = 0; i < n; i++)
    energy += p[i].speed[0] * p[i].speed[0] + p[i].at[1] * p[i].at[0];
  return energy;
}

GRADIENT_CHECK(prog_jacobi, Double, jacobi, In(double, 12), Out(double, 12), Int(12), Int(4))
GRADIENT_CHECK(prog_relaxation, Double, relaxation, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(prog_sparse, Double, sparse, In(double, 12), Out(double, 12), Int(12))
GRADIENT_CHECK(prog_kmeans, Double, kmeans, In(double, 15), InOut(double, 3), Int(15), Int(3))
GRADIENT_CHECK(prog_lu, Double, lu, In(double, 6), Out(double, 6), Int(6))
GRADIENT_CHECK(prog_histogram, Double, histogram, In(double, 17), InOut(double, 5), Int(17), Int(5))
GRADIENT_CHECK(prog_edges, Void, edges, In(double, 11), InOut(double, 11), Int(11))
GRADIENT_CHECK(prog_prefix, Double, prefix, In(double, 13), Out(double, 13), Int(13))
GRADIENT_CHECK(prog_sorted_blocks, Void, sortedBlocks, In(double, 8), Out(double, 8), Int(8))
GRADIENT_CHECK(prog_dynamics, Double, dynamics, In(double, 6), Int(6), Int(4))
