// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target regions of more kinds: mappers, members of structures, pointers, strided updates, tasks,
// functions by address.
// Supports: `declare mapper`, `use_device_ptr`, strided `target update`, `target nowait depend`, `declare target indirect`
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

typedef struct {
  int n;
  double *v;
  double w[4];
} packet;
#pragma omp declare mapper(deep : packet p) map(tofrom : p) map(tofrom : p.v[0 : p.n])

static double mapper(const double *x, double *y, int n) {
  packet p = {n, y, {x[0], 1, 2, x[1]}};
  for (int i = 0; i < n; i++)
    y[i] = x[i] * 2;
#pragma omp target map(mapper(deep), tofrom : p)
  for (int i = 0; i < p.n; i++)
    p.v[i] = p.v[i] * p.w[i % 4];
  double s = 0;
#pragma omp target teams distribute parallel for map(mapper(deep), tofrom : p) reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += p.v[i] * p.v[n - 1 - i];
  return s;
}
GRADIENT_CHECK(dev_mapper, Double, mapper, In(double, 9), Out(double, 9), Int(9))

static double members(const double *x, double *y, int n) {
  struct {
    double a, *p;
    double b[3];
  } s = {x[0], y, {x[1], x[2], 3}};
  for (int i = 0; i < n; i++)
    y[i] = x[i];
#pragma omp target data map(s) map(s.p[0 : n])
  {
#pragma omp target map(s.a, s.b[1 : 2]) map(s.p[2 : n - 2])
    {
      for (int i = 2; i < n; i++)
        s.p[i] *= s.a * s.b[1];
      s.a = s.a * s.b[2];
    }
#pragma omp target update from(s.p[0 : n])
#pragma omp target update to(s.p[0 : n])
#pragma omp target
    s.p[0] *= s.b[1] * s.a;
  }
  return s.a * s.p[0] + s.b[1];
}
GRADIENT_CHECK(dev_members, Double, members, In(double, 9), Out(double, 9), Int(9))

static double pointers(const double *x, double *y, int n) {
  double *a = malloc(n * sizeof *a), s = 0;
  for (int i = 0; i < n; i++)
    a[i] = x[i] * x[i];
#pragma omp target data map(tofrom : a[0 : n]) map(from : y[0 : n])
  {
#pragma omp target data use_device_ptr(a) use_device_addr(s)
    {
#pragma omp target is_device_ptr(a) map(y[0 : n])
      for (int i = 0; i < n; i++)
        y[i] = a[i] * a[n - 1 - i];
    }
  }
#pragma omp target enter data map(to : a[0 : n])
#pragma omp target teams distribute parallel for reduction(+ : s) map(present, tofrom : a[0 : n])
  for (int i = 0; i < n; i++)
    s += a[i] * y[i];
#pragma omp target exit data map(delete : a[0 : n])
  free(a);
  return s;
}
GRADIENT_CHECK(dev_pointers, Double, pointers, In(double, 9), Out(double, 9), Int(9))

static double strided(const double *x, double *y, int n) {
  double m[4][6], s = 0;
  for (int i = 0; i < 24; i++)
    m[i / 6][i % 6] = x[i % n] * i;
#pragma omp target data map(tofrom : m)
  {
#pragma omp target
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 6; j++)
        m[i][j] = sin(m[i][j]);
#pragma omp target update from(m[0 : 4][0 : 3 : 2])
#pragma omp target update to(m[0 : 2 : 2][0 : 6])
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : s)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 6; j++)
        s += m[i][j] * x[i];
  }
  for (int i = 0; i < n; i++)
    y[i] = m[i % 4][i % 6] * s;
  return s;
}
GRADIENT_CHECK(dev_strided, Double, strided, In(double, 9), Out(double, 9), Int(9))

double table[9], scale = 1;
#pragma omp declare target(table)
#pragma omp declare target to(scale)
#pragma omp begin declare target
static double helper(int i) { return table[i] * scale; }
#pragma omp end declare target
static double globals(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++)
    table[i] = x[i] * x[i];
  scale = x[2];
#pragma omp target update to(table, scale)
#pragma omp target map(from : y[0 : n])
  {
    for (int i = 0; i < n; i++)
      y[i] = helper(i) * x[0];
    table[1] = y[2];
  }
#pragma omp target update from(table)
  return table[1] * table[0];
}
GRADIENT_CHECK(dev_globals, Double, globals, In(double, 9), Out(double, 9), Int(9))

static double async(const double *x, double *y, int n) {
  double a = 0, b = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp target nowait depend(out : a) map(from : a) map(to : x[0 : n])
    a = x[0] * x[1];
#pragma omp target nowait depend(out : b) map(from : b) map(to : x[0 : n])
    b = sin(x[2]) * x[3];
#pragma omp task depend(in : a) depend(inout : b) shared(a, b)
    b *= a;
#pragma omp target nowait depend(in : a, b) map(to : a, b) map(from : y[0 : n])
    for (int i = 0; i < n; i++)
      y[i] = a * b * x[i];
#pragma omp target update nowait depend(inout : a) from(a)
#pragma omp taskwait
  }
  return a + b;
}
GRADIENT_CHECK(dev_async, Double, async, In(double, 9), Out(double, 9), Int(9))

typedef double (*unary)(double);
static double square(double a) { return a * a; }
#pragma omp declare target indirect to(square)
static double cube(double a) { return a * a * a; }
#pragma omp declare target indirect to(cube)
static double indirect(const double *x, double *y, int n) {
  unary f[2] = {square, cube};
#pragma omp target teams distribute parallel for map(to : f, x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; i++)
    y[i] = f[i % 2](x[i]);
  return y[0] * y[1];
}
GRADIENT_CHECK(dev_indirect, Double, indirect, In(double, 9), Out(double, 9), Int(9))

static double clauses(const double *x, double *y, int n) {
  double a = x[0], b = x[1], c = 0, d[3] = {x[2], 1, x[3]};
#pragma omp target if (n > 3) device(0) firstprivate(a, d) private(c) defaultmap(tofrom : scalar)  \
    thread_limit(4)
  {
    c = a * b;
    d[1] = c;
    a = 2;
    b = c * d[0] * d[1] * a;
  }
#pragma omp target device(ancestor : 1) if (0)
  b *= 1;
#pragma omp target parallel for map(y[ : n]) if (parallel : n > 100) defaultmap(none)              \
    firstprivate(n) map(to : a, b, x[ : n])
  for (int i = 0; i < n; i++)
    y[i] = x[i] * a * b;
#pragma omp target in_reduction(+ : c) if (0)
  {
  }
  return b + d[1];
}
GRADIENT_CHECK(dev_clauses, Double, clauses, In(double, 9), Out(double, 9), Int(9))
