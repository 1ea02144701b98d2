// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations: every operator, clause and memory order, and the work that threads share out
// with their help.
// Supports: `atomic` with every clause; counters, queues and flags that threads share
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>

static double orders(const double *x, int n) {
  double a = 0, b = 0, c = 0, d = 0, e = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic seq_cst
    a += x[i] * x[i];
#pragma omp atomic update relaxed
    b -= x[i] * x[0];
#pragma omp atomic release
    c = c + sin(x[i]);
#pragma omp atomic hint(omp_sync_hint_speculative)
    d = x[i] + d;
#pragma omp atomic
    e++;
  }
  return a * b + c * d * e;
}

static double reversedOperands(const double *x, int n) {
  double p = 1, q = 1, r = 0.5;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    p = x[i] * p;
#pragma omp atomic
    q /= x[i];
  }
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    r = x[i] - r;
#pragma omp atomic
    r = x[i] / r;
  }
  return p * q * 2 + r;
}

// Threads take the next piece of work from a counter.
static double queue(const double *x, double *y, int n) {
  int next = 0, done = 0;
  double s = 0;
#pragma omp parallel
  {
    for (;;) {
      int i;
#pragma omp atomic capture
      i = next++;
      if (i >= n)
        break;
      y[i] = x[i] * x[i] * x[(i + 1) % n];
      int seen;
#pragma omp atomic capture acq_rel
      seen = ++done;
      if (seen == n) // the last one adds up what all have made
        for (int k = 0; k < n; k++)
          s += y[k] * x[k];
    }
  }
  return s;
}

// A slot for each that is large enough, wherever it comes to stand.
static double compaction(const double *x, int n) {
  double kept[16], s = 0;
  int count = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (x[i] > 0.8) {
      int at;
#pragma omp atomic capture
      {
        at = count;
        count += 1;
      }
      kept[at] = x[i] * x[i];
    }
  for (int k = 0; k < count; k++)
    s += kept[k] * kept[k];
  return s;
}

static double extremes(const double *x, int n) {
  double most = x[0], least = x[0];
  int first = n;
#pragma omp parallel for
  for (int i = 1; i < n; i++) {
#pragma omp atomic compare
    most = x[i] > most ? x[i] : most;
#pragma omp atomic compare acq_rel fail(relaxed)
    if (x[i] < least) {
      least = x[i];
    }
#pragma omp atomic compare
    if (first > i) {
      first = i;
    }
  }
  return most * most * first + least;
}

// The neighbour's flag says that its value is there.
static double pipeline(const double *x, double *y, int n) {
  int ready[32] = {0};
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < n; i++) {
    if (i > 0) {
      int is;
      do {
#pragma omp atomic read acquire
        is = ready[i - 1];
      } while (!is);
    }
    y[i] = (i ? y[i - 1] * 0.5 : 0) + x[i] * x[i];
#pragma omp atomic write release
    ready[i] = 1;
  }
  return y[n - 1] * y[0];
}

static double members(const double *x, int n) {
  struct {
    int pad;
    double sum, parts[3];
  } s[2] = {{0, 0, {0, 0, 0}}, {0, 0, {0, 0, 0}}};
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    s[i % 2].sum += x[i] * x[i];
#pragma omp atomic
    s[1 - i % 2].parts[i % 3] += x[i] * s[0].pad + x[0];
  }
  return s[0].sum * s[1].sum + s[0].parts[0] * s[1].parts[1] * s[0].parts[2];
}

GRADIENT_CHECK(at_orders, Double, orders, In(double, 12), Int(12))
GRADIENT_CHECK_BOUND(1e-10, at_reversed, Double, reversedOperands, In(double, 5), Int(5))
GRADIENT_CHECK(at_queue, Double, queue, In(double, 14), Out(double, 14), Int(14))
GRADIENT_CHECK(at_compaction, Double, compaction, In(double, 14), Int(14))
GRADIENT_CHECK(at_extremes, Double, extremes, In(double, 14), Int(14))
GRADIENT_CHECK(at_pipeline, Double, pipeline, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(at_members, Double, members, In(double, 9), Int(9))

// Numbers that the optimiser moves as integers.
static double exchanged(const double *x, double *y, int n) {
  double m = x[0], old, equal = x[0], other = 2 * x[1];
#pragma omp parallel for ordered
  for (int i = 0; i < n; i++) {
#pragma omp ordered
#pragma omp atomic capture
    {
      y[i] = m;
      m = x[i];
    }
  }
#pragma omp atomic write
  m = equal;
#pragma omp parallel num_threads(1)
  {
#pragma omp atomic compare capture
    {
      old = m;
      if (m == equal) {
        m = other;
      }
    }
  }
  return m * old;
}
GRADIENT_CHECK(at_exchanged, Double, exchanged, In(double, 9), Out(double, 9), Int(9))
