// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arrays of which the program promises that they hold no number twice; also where the promise
// is of no use, since the array is reached in another way as well.
// Supports: index arrays declared to hold no number twice
#include "GradientCheck.h"

#include <contraflow/disjoint.h>
#include <vector>

static void order(int *q, int n, int step) {
  for (int i = 0; i < n; i++)
    q[i] = (step * i + 2) % n;
}

static void gather(const double *a, const double *x, double *y, int n) {
  int q[40];
  order(q, n, 7);
  const auto apart = contraflow::disjoint(q);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = a[i] * x[apart[i]] * x[apart[i]];
}

static void permute(const double *x, double *y, int n) {
  int q[40];
  order(q, n, 3);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[CONTRAFLOW_DISJOINT(q, i)] += x[CONTRAFLOW_DISJOINT(q, i)] * y[CONTRAFLOW_DISJOINT(q, i)];
}

static void components(const float *m, const double *x, double *y, int n) {
  std::vector<long> q(n);
  for (int i = 0; i < n; i++)
    q[i] = (5 * i + 1) % n;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) {
    const auto apart = contraflow::disjoint(q);
    double s = 0;
    for (int k = 0; k < 3; k++)
      s += x[3 * apart[i] + k] * x[3 * apart[i] + 2 - k];
    y[i] = s * m[apart[i]];
  }
}

static void neighbours(const double *x, double *y, int n) {
  unsigned q[41];
  for (int i = 0; i <= n; i++)
    q[i] = (unsigned)(7 * i % (n + 1));
  const auto apart = contraflow::disjoint(q);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = x[apart[i]] * x[apart[i + 1]];
}

static void rows(const double *x, double *y, int n) {
  int q[40];
  order(q, n, 7);
#pragma omp parallel for
  for (int i = 0; i < n / 4; i++) {
    double s = 1;
    for (int k = 0; k < 4; k++)
      s *= x[CONTRAFLOW_DISJOINT(q, 4 * i + k)];
    y[i] = s;
  }
}

static void sometimes(const double *x, const double *w, double *y, int n) {
  int q[40];
  order(q, n, 7);
  const auto apart = contraflow::disjoint(q);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = i % 3 ? x[apart[i]] * w[0] : w[1];
}

static void alsoDirectly(const double *x, double *y, int n) {
  int q[40];
  order(q, n, 7);
  const auto apart = contraflow::disjoint(q);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = x[apart[i]] * x[i];
}

static void twoOrders(const double *x, double *y, int n) {
  int q[40], r[40];
  order(q, n, 7);
  order(r, n, 3);
  const auto some = contraflow::disjoint(q), other = contraflow::disjoint(r);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = x[some[i]] * x[other[i]];
}

static void wide(const double *x, double *y, int n) {
  int q[40];
  order(q, n, 7);
  const auto apart = contraflow::disjoint(q);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = x[apart[i]] * x[apart[i] + 1] - x[2 * apart[i]] * x[3 * apart[i]];
}

static void dealtOut(const double *x, double *y, int n) {
  int q[40];
  order(q, n, 7);
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < n; i++)
    y[i] = x[CONTRAFLOW_DISJOINT(q, i)] * x[CONTRAFLOW_DISJOINT(q, i)];
}

static double afterwards(const double *x, double *y, int n) {
  int q[41];
  order(q, n + 1, 7);
  double s = 0;
#pragma omp parallel
  {
    int last = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      last = CONTRAFLOW_DISJOINT(q, i);
      y[i] = x[last] * x[CONTRAFLOW_DISJOINT(q, i + 1)];
    }
#pragma omp atomic
    s += last == q[n - 1] ? x[last] * x[last] : 0;
  }
  return s + x[q[n]];
}

static void inSerial(const double *x, double *y, int n) {
  int q[40];
  order(q, n, 7);
  for (int i = 0; i < n; i++)
    y[i] = x[CONTRAFLOW_DISJOINT(q, i)] * x[__builtin_annotation(i, "something else")];
}

GRADIENT_CHECK(disjoint_gather, Void, gather, In(double, 40), In(double, 40), Out(double, 40),
               Int(40))
GRADIENT_CHECK(disjoint_permute, Void, permute, In(double, 40), InOut(double, 40), Int(40))
GRADIENT_CHECK(disjoint_components, Void, components, In(float, 32), In(double, 96),
               Out(double, 32), Int(32))
GRADIENT_CHECK(disjoint_neighbours, Void, neighbours, In(double, 41), Out(double, 40), Int(40))
GRADIENT_CHECK(disjoint_rows, Void, rows, In(double, 40), Out(double, 10), Int(40))
GRADIENT_CHECK(disjoint_sometimes, Void, sometimes, In(double, 40), In(double, 2), Out(double, 40),
               Int(40))
GRADIENT_CHECK(disjoint_also_directly, Void, alsoDirectly, In(double, 40), Out(double, 40), Int(40))
GRADIENT_CHECK(disjoint_two_orders, Void, twoOrders, In(double, 40), Out(double, 40), Int(40))
GRADIENT_CHECK(disjoint_wide, Void, wide, In(double, 120), Out(double, 40), Int(40))
GRADIENT_CHECK(disjoint_dealt_out, Void, dealtOut, In(double, 40), Out(double, 40), Int(40))
GRADIENT_CHECK(disjoint_afterwards, Double, afterwards, In(double, 41), Out(double, 40), Int(40))
GRADIENT_CHECK(disjoint_in_serial, Void, inSerial, In(double, 40), Out(double, 40), Int(40))
