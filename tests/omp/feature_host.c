// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leagues of teams, and target regions without a device: the host runs them.
// Supports: `target` on the host: `map`, `target data`, `update`, `declare target`, `is_device_ptr`
#pragma clang diagnostic ignored "-Wpass-failed" // not every simd loop is vectorised
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

static double leagues(const double *x, double *y, int n, int m) {
  double s = 0;
#pragma omp teams num_teams(4) thread_limit(8) default(shared) firstprivate(n)
  {
#pragma omp distribute
    for (int i = 0; i < n; i++) {
      double t = 0;
#pragma omp parallel for reduction(+ : t)
      for (int j = 0; j < m; j++)
        t += x[j] * x[i];
      y[i] = t * t;
    }
  }
#pragma omp teams distribute parallel for simd collapse(2) num_threads(3) reduction(+ : s)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      s += y[i] * x[j];
#pragma omp teams distribute simd dist_schedule(static, 2)
  for (int i = 0; i < n; i++)
    y[i] *= x[i];
#pragma omp teams loop
  for (int i = 0; i < n; i++)
    y[i] += x[0];
  if (omp_get_num_teams() != 1 || omp_get_team_num() != 0)
    s = 0;
  return s;
}

static double numbered(const double *x, double *y, int n) {
  double s = 0;
#pragma omp teams reduction(+ : s)
  {
    int all = omp_get_num_teams(), me = omp_get_team_num();
    for (int i = me; i < n; i += all)
      s += x[i] * x[i];
#pragma omp distribute parallel for firstprivate(all) private(me)
    for (int i = 0; i < n; i++)
      y[i] = x[i] * (all > 0);
  }
  return s;
}

static double mapped(const double *x, double *y, int n) {
  double s = 0, a = x[0];
#pragma omp target data map(to : x[0 : n]) map(tofrom : y[0 : n])
  {
#pragma omp target map(tofrom : s) firstprivate(a) uses_allocators(omp_default_mem_alloc)          \
    allocate(omp_default_mem_alloc : a)
    {
      for (int i = 0; i < n; i++)
        s += x[i] * a;
    }
#pragma omp target teams distribute parallel for map(tofrom : s) reduction(+ : s)
    for (int i = 0; i < n; i++) {
      y[i] *= x[i];
      s += y[i];
    }
#pragma omp target update from(y[0 : n])
#pragma omp target parallel for simd schedule(static) map(y[0 : n]) defaultmap(tofrom : scalar)
    for (int i = 0; i < n; i++)
      y[i] += s * x[i];
#pragma omp target update to(y[0 : 2]) if (n > 2)
#pragma omp target simd
    for (int i = 0; i < n; i++)
      y[i] *= y[i];
  }
  return s;
}

static double entered(const double *x, int n) {
  double *v = (double *)malloc(n * sizeof *v), s = 0;
#pragma omp target enter data map(alloc : v[0 : n])
#pragma omp target teams distribute
  for (int i = 0; i < n; i++)
    v[i] = x[i] * x[i];
#pragma omp target exit data map(from : v[0 : n])
#pragma omp target teams loop map(tofrom : s) reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += v[i] * x[n - 1 - i];
  free(v);
  return s;
}

#pragma omp declare target
double factor = 2;
static double square(double v) { return v * v * factor; }
#pragma omp end declare target

static double declared(const double *x, double *y, int n) {
  double s = 0;
#pragma omp target map(tofrom : s, y[0 : n]) map(to : x[0 : n]) device(omp_get_initial_device())
  {
    factor = x[0];
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) {
      y[i] = square(x[i]);
      s += y[i] * (omp_is_initial_device() ? 1 : 1);
    }
  }
#pragma omp target update from(factor)
  return s * factor;
}

static double later(const double *x, double *y, int n) {
  double a = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a) shared(a)
    a = x[0] * x[1];
#pragma omp target enter data map(to : x[0 : n]) depend(inout : a)
#pragma omp target parallel for depend(in : a) map(tofrom : y[0 : n]) map(to : a)
    for (int i = 0; i < n; i++)
      y[i] = x[i] * a;
#pragma omp target exit data map(release : x[0 : n]) depend(inout : a)
#pragma omp target update from(y[0 : n]) depend(inout : a)
#pragma omp taskwait
  }
  return a * y[0];
}

static double pointers(const double *x, double *y, int n) {
  double s = 0;
  const double *p = x;
#pragma omp target is_device_ptr(p) map(tofrom : s)
  for (int i = 0; i < n; i++)
    s += p[i] * p[0];
#pragma omp target data map(tofrom : y[0 : n]) use_device_ptr(y)
  {
#pragma omp target is_device_ptr(y)
    for (int i = 0; i < n; i++)
      y[i] *= x[i];
  }
#pragma omp target data map(tofrom : y[0 : n]) use_device_addr(y[0 : n])
#pragma omp target has_device_addr(y[0 : n])
  for (int i = 0; i < n; i++)
    y[i] += 1;
#pragma omp target if (n > 100) thread_limit(4)
  for (int i = 0; i < n; i++)
    y[i] *= x[i];
  return s * (omp_get_num_devices() == 0 && omp_get_default_device() >= 0 ? 1 : 2);
}

struct grid {
  int n;
  double *u, h;
};

static double members(const double *x, double *y, int n) {
  struct grid g = {n, y, 0};
#pragma omp target map(tofrom : g, g.u[0 : n])
  {
    g.h = x[0] * x[0];
    for (int i = 0; i < g.n; i++)
      g.u[i] += x[i] * g.h;
  }
#pragma omp target parallel for map(tofrom : g.u[0 : n])
  for (int i = 0; i < g.n; i++)
    g.u[i] *= g.h;
  return g.h;
}

GRADIENT_CHECK(host_leagues, Double, leagues, In(double, 6), Out(double, 6), Int(6), Int(4))
GRADIENT_CHECK(host_numbered, Double, numbered, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(host_mapped, Double, mapped, In(double, 9), InOut(double, 9), Int(9))
GRADIENT_CHECK(host_entered, Double, entered, In(double, 9), Int(9))
GRADIENT_CHECK(host_declared, Double, declared, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(host_later, Double, later, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(host_pointers, Double, pointers, In(double, 9), InOut(double, 9), Int(9))
GRADIENT_CHECK(host_members, Double, members, In(double, 9), InOut(double, 9), Int(9))
