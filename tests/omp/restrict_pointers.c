// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers that are promised to be apart (restrict), in regions of many steps and through indices:
// what one of them leads to stays as it is while the other is written. Pointers derived from one,
// which come to a region in another variable, a structure, or back from a function, meet what it
// leads to.
#include "GradientCheck.h"
#include <string.h>

static void axpySteps(double a, const double *restrict x, double *restrict y, int n, int steps) {
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      y[i] = a * x[i] * x[i] + 0.9 * y[i] * y[i];
  }
}

static void edges(const double *restrict u, double *restrict r, int n) {
#pragma omp parallel for
  for (int e = 0; e < n; e++) {
    const int i = e, j = e * 7 % n;
    const double flux = (u[i] - u[j]) * (u[i] + u[j]);
#pragma omp atomic
    r[i] += flux;
#pragma omp atomic
    r[j] -= flux;
  }
}

static void halves(double *restrict u, const double *restrict w, int n) {
  double *upper = u + n / 2;
  for (int s = 0; s < 3; s++) {
#pragma omp parallel for
    for (int i = 0; i < n / 2; i++)
      upper[i] = 0.5 * upper[i] * u[i] * w[i];
#pragma omp parallel for
    for (int i = 0; i < n / 2; i++)
      u[i] += upper[i] * upper[i] * w[n - 1 - i];
  }
}

static void turns(double *restrict u, double *restrict v, int n, int steps) {
  double *from = u, *to = v;
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      to[i] = from[i] * from[(i + 1) % n] + 0.5 * to[i];
    double *t = from;
    from = to;
    to = t;
  }
}

__attribute__((noinline)) static double *behind(double *p, int n) { return p + n; }

static void handed_back(double *restrict u, double *restrict v, int n) {
  double *upper = behind(u, n);
  for (int s = 0; s < 3; s++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      upper[i] = u[i] * upper[i] * v[i];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      u[i] = u[i] * upper[i] + v[i];
  }
}

struct Pair {
  double *from, *to;
};

static void members(double *restrict u, double *restrict v, int n) {
  struct Pair p = {u, v};
  for (int s = 0; s < 3; s++) {
    struct Pair copy;
    memcpy(&copy, &p, sizeof(p));
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      copy.to[i] += copy.from[i] * u[i] * v[i] * 0.1;
    p.from = copy.to;
    p.to = copy.from;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      u[i] += copy.from[i] * 0.3;
  }
}

GRADIENT_CHECK(restrict_axpy_steps, Void, axpySteps, Scalar(double), In(double, 20),
               InOut(double, 20), Int(20), Int(3))
GRADIENT_CHECK(restrict_edges, Void, edges, In(double, 30), InOut(double, 30), Int(30))
GRADIENT_CHECK(restrict_halves, Void, halves, InOut(double, 24), In(double, 24), Int(24))
GRADIENT_CHECK(restrict_turns, Void, turns, InOut(double, 12), InOut(double, 12), Int(12), Int(4))
GRADIENT_CHECK(restrict_handed_back, Void, handed_back, InOut(double, 24), In(double, 12), Int(12))
GRADIENT_CHECK(restrict_members, Void, members, InOut(double, 12), InOut(double, 12), Int(12))
