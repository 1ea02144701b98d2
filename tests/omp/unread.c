// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of regions that only their sum or their address leads to: some are read by nobody, some
// late, and some of those that a region only reads change between regions.
#include "GradientCheck.h"
#include <errno.h>
#include <math.h>

// Read by nobody but the caller.
static double sums(const double *x, int n) {
  double a = 0, b = 1;
#pragma omp parallel for reduction(+ : a) reduction(* : b)
  for (int i = 0; i < n; i++) {
    a += sqrt(x[i]) * x[i];
    b *= 1 + 0.1 * x[i];
  }
  return a * b;
}

// The first region adds, the second reads what it has added, the third adds what nobody reads.
static double handedOn(const double *x, double *y, int n) {
  double sum = 0, more = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = x[i] * sum;
#pragma omp for reduction(+ : more)
    for (int i = 0; i < n; i++)
      more += exp(0.1 * y[i]) * sum;
  }
#pragma omp parallel for reduction(+ : more)
  for (int i = 0; i < n; i++)
    more += x[i] * y[i];
  return more;
}

// What is added decides what comes next.
static double decides(const double *x, double *y, int n) {
  double total = 0;
  int large = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; i++)
    total += x[i];
#pragma omp parallel
  {
#pragma omp critical
    if (total > 0)
      large = 1;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = large ? x[i] * x[i] : sin(x[i]);
  }
  return total;
}

// Pointers that regions only read, and that somebody exchanges: between regions, in a region where
// they are written as well, and behind the compiler's back.
static void exchanged(double *u, double *v, int n, int steps) {
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int k = 1; k < n - 1; k++)
      for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++)
          v[(k * n + j) * n + i] +=
              u[(k * n + j) * n + i] * (u[((k + 1) * n + j) * n + i] + u[(k * n + j - 1) * n + i]);
    double *t = u;
    u = v;
    v = t;
  }
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; i++)
      u[i] *= v[i];
#pragma omp single
    {
      double *t = u;
      u = v;
      v = t;
    }
#pragma omp for
    for (int i = 0; i < n; i++)
      u[i] *= v[i + 1];
  }
}

static void behind(double *u, double *v, int n) {
  double *p = u, **known = &p;
#pragma omp parallel
  {
    for (int s = 0; s < 3; s++) {
#pragma omp for
      for (int i = 0; i < n; i++)
        p[i] *= 1.1 * p[i];
#pragma omp single
      *known = s ? u : v;
    }
  }
}

// A function of the mathematics library is asked for its error only.
static double errors(const double *x, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    errno = 0;
    double r = log(x[i] - 0.9) * 0;
    s += errno ? x[i] * x[i] : 3 * x[i] + r;
  }
  return s;
}

GRADIENT_CHECK(unread_sums, Double, sums, In(double, 40), Int(40))
GRADIENT_CHECK(unread_handed_on, Double, handedOn, In(double, 40), Out(double, 40), Int(40))
GRADIENT_CHECK(unread_decides, Double, decides, In(double, 23), Out(double, 23), Int(23))
GRADIENT_CHECK(unread_exchanged, Void, exchanged, InOut(double, 343), InOut(double, 343), Int(7),
               Int(3))
GRADIENT_CHECK(unread_behind, Void, behind, InOut(double, 23), InOut(double, 23), Int(23))
GRADIENT_CHECK(unread_errors, Double, errors, In(double, 23), Int(23))
