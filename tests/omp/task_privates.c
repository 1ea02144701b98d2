// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that a task has for itself: clang believes that they are aligned like variables, and in
// the memory of a task they are not. A derivative may load two of their elements at once.
// Of a taskloop clang makes such a comparison itself.
#pragma clang diagnostic ignored "-Wsign-compare"
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>

static double pairs(const double *x, double *y, int n) {
  double r = x[1];
  for (int i = 0; i < n; i++)
    y[i] = x[i];
#pragma omp parallel
  {
    double own = x[0] * r;
#pragma omp for
    for (int i = 0; i < n; i++) {
      double part[2] = {x[i] * own, r};
#pragma omp task firstprivate(part, own) untied
      y[i] = tanh(y[i] * part[1] + part[0] * x[0]);
    }
  }
  return y[0] * y[n - 1];
}

static double rows(const double *x, double *y, int n) {
  double first[3] = {x[0], x[1], x[2]}, second[4] = {x[3], 1, 2, x[4]}, sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(2) firstprivate(first, second) reduction(+ : sum)
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < 3; j++)
        first[j] = x[i] * second[j] + second[3] * x[j];
      y[i] = first[0] * first[1] + sin(first[2]);
      sum += y[i] * second[0];
    }
  }
  return sum;
}

static double later(const double *x, double *y, int n) {
  double kept[4] = {0}, sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++) {
    kept[i % 4] = x[i] * x[n - 1 - i];
    kept[(i + 1) % 4] = x[i];
#pragma omp task firstprivate(kept) depend(inout : sum) shared(sum)
    {
      kept[0] *= kept[1];
      kept[2] *= kept[3];
#pragma omp task firstprivate(kept) if (i % 2)
      y[i] = kept[0] + kept[1] + kept[2] * kept[3];
#pragma omp taskwait
      sum += y[i] * kept[0];
    }
  }
  return sum;
}

GRADIENT_CHECK(task_privates_pairs, Double, pairs, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(task_privates_rows, Double, rows, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(task_privates_later, Double, later, In(double, 9), Out(double, 9), Int(9))
