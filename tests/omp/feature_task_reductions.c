// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions that tasks take part in, of scans, of leagues and of vector loops.
// Supports: reductions of tasks, scans, leagues and vector loops
#pragma clang diagnostic ignored "-Wsign-compare" // the bounds of a taskloop are unsigned
#pragma clang diagnostic ignored "-Wpass-failed"  // not every simd loop is vectorised
#include "GradientCheck.h"
#include <math.h>

static double groups(const double *x, int n) {
  double s = 0, p = 1, most = 0, h[3] = {0, 0, 0};
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : s, h) task_reduction(* : p) task_reduction(max : most)
  {
    for (int i = 0; i < n; i++) {
#pragma omp task in_reduction(+ : s, h) in_reduction(* : p)
      {
        s += x[i] * x[i];
        p *= x[i];
        h[i % 3] += x[i] * x[0];
      }
#pragma omp task in_reduction(max : most) if (i % 2)
      most = fmax(most, x[i] * x[i]);
    }
  }
  return s * p + most * h[0] * h[1] + h[2];
}

static double total;

static void walk(const double *x, int n) {
  if (n == 1) {
#pragma omp task in_reduction(+ : total)
    total += x[0] * x[0] * x[0];
    return;
  }
#pragma omp task
  walk(x, n / 2);
#pragma omp task
  walk(x + n / 2, n - n / 2);
}

static double recursive(const double *x, int n) {
  total = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : total)
  walk(x, n);
  return total * total;
}

static double loops(const double *x, double *y, int n) {
  double s = 0, p = 1, least = 9;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop reduction(+ : s) reduction(min : least) grainsize(2)
    for (int i = 0; i < n; i++) {
      s += x[i] * x[i];
      least = fmin(least, x[i]);
      y[i] = x[i] * x[n - 1 - i];
    }
#pragma omp taskgroup task_reduction(* : p)
    {
#pragma omp taskloop in_reduction(* : p) num_tasks(3)
      for (int i = 0; i < n; i++)
        p *= y[i];
#pragma omp task in_reduction(* : p)
      p *= s;
    }
#pragma omp taskloop simd reduction(+ : s)
    for (int i = 0; i < n; i++)
      s += y[i];
  }
  return s * least + p;
}

static double modifiers(const double *x, int n) {
  double s = 0, t = 0, u = 0;
#pragma omp parallel reduction(task, + : s) num_threads(3)
  {
#pragma omp for
    for (int i = 0; i < n; i++) {
#pragma omp task in_reduction(+ : s)
      s += x[i] * x[i];
      s += x[i];
    }
  }
#pragma omp parallel
#pragma omp sections reduction(task, + : t)
  {
#pragma omp section
#pragma omp task in_reduction(+ : t)
    t += x[0] * x[1];
#pragma omp section
    t += x[2] * x[2];
  }
#pragma omp parallel
#pragma omp for reduction(task, + : u)
  for (int i = 0; i < n; i++)
#pragma omp task in_reduction(+ : u)
    u += sin(x[i]);
  return s * t * u;
}

static double scans(const double *x, double *y, int n) {
  double s = 0, most = -9, p = 1;
#pragma omp parallel for simd reduction(inscan, + : s)
  for (int i = 0; i < n; i++) {
    s += x[i] * x[i];
#pragma omp scan inclusive(s)
    y[i] = s;
  }
#pragma omp parallel for reduction(inscan, max : most)
  for (int i = 0; i < n; i++) {
    most = fmax(most, x[i]);
#pragma omp scan inclusive(most)
    y[i] *= most;
  }
#pragma omp parallel for reduction(inscan, * : p)
  for (int i = 0; i < n; i++) {
    y[i] += p * x[i];
#pragma omp scan exclusive(p)
    p *= x[i];
  }
  return s * most + p;
}

static double leagues(const double *x, double *y, int n) {
  double s = 0, t = 0, most = 0;
#pragma omp teams num_teams(3) thread_limit(2) reduction(+ : s)
#pragma omp distribute parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * x[i];
    s += y[i] * x[0];
  }
#pragma omp teams distribute reduction(max : most)
  for (int i = 0; i < n; i++)
    most = fmax(most, y[i]);
#pragma omp teams distribute parallel for simd reduction(+ : t) collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 2; j++)
      t += x[i] * y[j];
  return s * most + t;
}

static double vectors(const double *x, double *y, int n) {
  double s = 0, p = 1, most = -1, least = 10;
#pragma omp simd reduction(+ : s) reduction(* : p) safelen(8)
  for (int i = 0; i < n; i++) {
    s += x[i] * y[i];
    p *= x[i];
  }
#pragma omp parallel for simd reduction(max : most) reduction(min : least) if (simd : n > 3)
  for (int i = 0; i < n; i++) {
    most = most > x[i] ? most : x[i];
    least = least < y[i] ? least : y[i];
  }
#pragma omp simd reduction(+ : s) collapse(2) aligned(x : 8)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++)
      s += x[i] * y[j];
  for (int i = 0; i < n; i++)
    y[i] *= s;
  return s * p + most * least;
}

GRADIENT_CHECK_BOUND(1e-10, tred_groups, Double, groups, In(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-10, tred_recursive, Double, recursive, In(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-10, tred_loops, Double, loops, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-10, tred_modifiers, Double, modifiers, In(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-10, tred_scans, Double, scans, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-10, tred_leagues, Double, leagues, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-10, tred_vectors, Double, vectors, In(double, 9), InOut(double, 9), Int(9))
