// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of one thread that all get: copyprivate, copyin.
// Supports: `single copyprivate`, `threadprivate`, `copyin`
#include "GradientCheck.h"
#include <math.h>

struct settings {
  double factor;
  int power;
  double shift;
};

static double one(const double *x, double *y, int n) {
  double sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    double t[3];
    struct settings s;
#pragma omp single copyprivate(t, s)
    {
      for (int j = 0; j < 3; j++)
        t[j] = x[j] * x[j + 1];
      s = (struct settings){x[0] * x[0], 2, x[1]};
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      y[i] = sin(x[i]) * t[i % 3] * s.factor * s.power;
      sum += s.shift * x[i];
    }
  }
  return sum;
}

// Each round's value depends on what all threads did in the round before.
static void rounds(const double *x, double *y, int n) {
  double z = x[0];
#pragma omp parallel
  {
    double t = 0;
    for (int s = 0; s < 3; s++) {
#pragma omp single copyprivate(t)
      t = z * x[s] + t;
#pragma omp for
      for (int i = 0; i < n; i++)
        y[i] = sin(x[i]) * t;
#pragma omp single
      z = z * y[s];
    }
  }
}

static void pointers(const double *x, double *y, int n) {
  double w[12];
#pragma omp parallel
  {
    const double *from;
    double *to;
#pragma omp single copyprivate(from, to)
    {
      from = x + 1;
      to = w;
    }
#pragma omp for
    for (int i = 0; i < n; i++) {
      to[i] = from[i % 11] * x[i];
      y[i] = to[i] * to[i];
    }
  }
}

static double own;
#pragma omp threadprivate(own)

static void mastersValue(const double *x, double *y, int n) {
  own = x[0] * x[0];
#pragma omp parallel for copyin(own)
  for (int i = 0; i < n; i++)
    y[i] = sin(x[i]) * own;
}

static void perThread(const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    own = x[i] * x[i];
    y[i] = sin(own) * own;
  }
}

GRADIENT_CHECK(copyprivate_values, Double, one, In(double, 12), Out(double, 12), Int(12))
GRADIENT_CHECK(copyprivate_rounds, Void, rounds, In(double, 12), Out(double, 12), Int(12))
GRADIENT_CHECK(copyprivate_pointers, Void, pointers, In(double, 12), Out(double, 12), Int(12))
GRADIENT_CHECK(copyin, Void, mastersValue, In(double, 12), Out(double, 12), Int(12))
GRADIENT_CHECK(threadprivate, Void, perThread, In(double, 12), Out(double, 12), Int(12))
