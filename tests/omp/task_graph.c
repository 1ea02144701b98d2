// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks whose reverses are tasks: graphs turned round, makers that work beside what they have made,
// tasks that outlive their makers, and such as have to run where they are made.
// Supports: reverses of tasks that run in parallel
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

static double halves(const double *x, int n) {
  if (n <= 2)
    return n == 1 ? x[0] * x[0] : sin(x[0]) * x[1];
  double low, high;
#pragma omp task shared(low)
  low = halves(x, n / 2);
  high = halves(x + n / 2, n - n / 2);
#pragma omp taskwait
  return low * high + low;
}

static double recursive(const double *x, int n) {
  double r = 0;
#pragma omp parallel
#pragma omp single
  r = halves(x, n);
  return r;
}

// The maker reads and writes beside its tasks what they read; its local variables are shared.
static double beside(const double *x, double *y, int n) {
  double total = 0;
#pragma omp parallel reduction(+ : total)
#pragma omp single
  {
    double scale = x[0] * x[1], part[4], own = 0;
    for (int k = 0; k < 4; k++) {
#pragma omp task shared(part, scale)
      {
        part[k] = 0;
        for (int i = k; i < n; i += 4)
          part[k] += scale * x[i] * sin(x[0]);
      }
      own += scale * x[k] * x[0];
    }
    for (int i = 0; i < n; i++)
      y[i] = scale * x[i] * x[i] + y[i];
#pragma omp taskwait
    for (int k = 0; k < 4; k++)
      total += part[k] * own;
  }
  return total;
}

// Nobody waits but the group: children outlive their makers.
static void spread(const double *x, double *y, int low, int high) {
  if (high - low == 1) {
    y[low] = x[low] * y[low] * x[0];
    return;
  }
  int middle = (low + high) / 2;
#pragma omp task
  spread(x, y, low, middle);
#pragma omp task
  spread(x, y, middle, high);
}

static double orphans(const double *x, double *y, int n) {
  double s = 0;
#pragma omp parallel
#pragma omp single
  {
    double factor = x[1];
#pragma omp taskgroup
    {
      spread(x, y, 0, n);
#pragma omp task shared(factor)
      factor = factor * x[2];
    }
    spread(x, y, 0, n);
#pragma omp taskwait
    s = factor;
  }
  for (int i = 0; i < n; i++)
    s += y[i] * x[i];
  return s;
}

// Every thread makes tasks; barriers and loops come between them.
static void stage(const double *x, double *y, double *z, int n) {
#pragma omp for nowait
  for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
    y[i] = x[i] * x[(i + 1) % n];
  }
#pragma omp barrier
#pragma omp for
  for (int i = 0; i < n; i++)
    z[i] = y[i] * y[(i + 1) % n] + z[i];
#pragma omp single nowait
  for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
    y[i] = z[i] * x[i];
  }
}

static double stages(const double *x, double *y, int n) {
  double z[16] = {0}, s = 0;
#pragma omp parallel
  {
    for (int step = 0; step < 3; step++) {
      stage(x, y, z, n);
#pragma omp barrier
    }
  }
  for (int i = 0; i < n; i++)
    s += y[i] * z[i];
  return s;
}

// A factorisation without pivots by dependences, blocks of 2.
enum { B = 2, N = 4 };

static void factor(double *a) {
  a[2] /= a[0];
  a[3] -= a[2] * a[1];
}
static void right(const double *d, double *a) {
  for (int j = 0; j < B; j++)
    a[B + j] -= d[B] * a[j];
}
static void below(const double *d, double *a) {
  for (int i = 0; i < B; i++) {
    a[i * B] /= d[0];
    a[i * B + 1] = (a[i * B + 1] - a[i * B] * d[1]) / d[3];
  }
}
static void update(const double *l, const double *u, double *a) {
  for (int i = 0; i < B; i++)
    for (int j = 0; j < B; j++)
      for (int k = 0; k < B; k++)
        a[i * B + j] -= l[i * B + k] * u[k * B + j];
}

static double blocks(const double *x, int n) {
  double a[N][N][B * B], det = 1;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < B * B; k++)
        a[i][j][k] = x[(i * 3 + j * 5 + k) % n] * 0.2 + (i == j && (k == 0 || k == 3) ? 5 : 0);
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < N; k++) {
#pragma omp task depend(inout : a[k][k]) shared(a)
    factor(a[k][k]);
    for (int j = k + 1; j < N; j++) {
#pragma omp task depend(in : a[k][k]) depend(inout : a[k][j]) shared(a)
      right(a[k][k], a[k][j]);
#pragma omp task depend(in : a[k][k]) depend(inout : a[j][k]) shared(a)
      below(a[k][k], a[j][k]);
    }
    for (int i = k + 1; i < N; i++)
      for (int j = k + 1; j < N; j++) {
#pragma omp task depend(in : a[i][k], a[k][j]) depend(inout : a[i][j]) shared(a)
        update(a[i][k], a[k][j], a[i][j]);
      }
  }
  for (int i = 0; i < N; i++)
    det *= a[i][i][0] * a[i][i][3] * 0.04;
  return det;
}

// Memory that tasks allocate, and arrays of their own.
static double scratch(const double *x, int n) {
  double s = 0, *part[4];
#pragma omp parallel
#pragma omp single
  {
    for (int k = 0; k < 4; k++) {
#pragma omp task shared(part)
      {
        double local[8], *out = malloc(n * sizeof *out);
        for (int i = 0; i < 8; i++)
          local[i] = x[(i + k) % n] * x[i % n];
        for (int i = 0; i < n; i++)
          out[i] = local[i % 8] * local[(i + 1) % 8];
        part[k] = out;
      }
    }
#pragma omp taskwait
    for (int k = 0; k < 4; k++) {
      for (int i = 0; i < n; i++)
        s += part[k][i] * x[i];
      free(part[k]);
    }
  }
  return s;
}

// Tasks that have to run where they are made, beside others.
static double state;
#pragma omp threadprivate(state)

static double mixed(const double *x, int n) {
  double sum = 0, product = 1, byThread[64] = {0}, a = x[0], plain = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i) shared(product)
#pragma omp critical
      product *= x[i];
#pragma omp task firstprivate(i) shared(byThread)
      byThread[omp_get_thread_num()] += x[i] * x[i];
#pragma omp task firstprivate(i) shared(a) depend(inout : a)
      a = a * 0.5 + x[i] * a;
#pragma omp task firstprivate(i) shared(a, plain) depend(in : a) depend(inout : plain)
      {
        state = a * x[i];
        plain += state * state;
      }
#pragma omp task firstprivate(i) shared(sum) depend(in : a)
#pragma omp atomic
      sum += x[i] * a;
    }
  }
  for (int t = 0; t < 64; t++)
    sum += byThread[t];
  return sum * product + a + plain;
}

static double extremes(const double *x, int n) {
  double p = 1, q = 0, e[4];
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; i++) {
#pragma omp task depend(mutexinoutset : p) shared(p) firstprivate(i)
      p = p * x[i];
    }
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(in : p) depend(inoutset : e) shared(p, e) firstprivate(i)
      e[i] = p * x[i];
    }
#pragma omp task depend(in : e) depend(out : q) shared(e, q) if (n > 100)
    q = e[0] * e[1] + e[2] * e[3];
#pragma omp taskwait depend(in : q)
    q *= x[0];
#pragma omp task shared(q) final(1)
    {
#pragma omp task shared(q) if (omp_in_final())
      q = q * q;
    }
  }
  return q;
}

static double nestedTeams(const double *x, int n) {
  double s = 0;
#pragma omp parallel num_threads(2) reduction(+ : s)
  {
    double r = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    r = halves(x, n);
    s += r;
#pragma omp single
    {
#pragma omp task shared(s)
      s = s + 1;
#pragma omp taskwait
    }
  }
  return s;
}

GRADIENT_CHECK(graph_recursive, Double, recursive, In(double, 21), Int(21))
GRADIENT_CHECK(graph_beside, Double, beside, In(double, 13), InOut(double, 13), Int(13))
GRADIENT_CHECK(graph_orphans, Double, orphans, In(double, 9), InOut(double, 9), Int(9))
GRADIENT_CHECK(graph_stages, Double, stages, In(double, 12), InOut(double, 12), Int(12))
GRADIENT_CHECK(graph_blocks, Double, blocks, In(double, 17), Int(17))
GRADIENT_CHECK(graph_scratch, Double, scratch, In(double, 11), Int(11))
GRADIENT_CHECK(graph_mixed, Double, mixed, In(double, 7), Int(7))
GRADIENT_CHECK(graph_extremes, Double, extremes, In(double, 6), Int(6))
GRADIENT_CHECK(graph_nested, Double, nestedTeams, In(double, 9), Int(9))
