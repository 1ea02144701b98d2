// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are compiled for a device, too: here the host itself, with memory of its own. The
// derivative runs target regions on the host. What they compute does not depend on where they run.
// Supports: `target` in programs compiled for devices: kernels, mapped data, updates
#include "GradientCheck.h"
#include <omp.h>
#include <stdlib.h>

static double kernels(const double *x, double *y, int n) {
  double s = 0, a = x[0];
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])           \
    firstprivate(a)
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] * x[i];
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n]) map(to : x[0 : n])         \
    reduction(+ : s) thread_limit(4)
  for (int i = 0; i < n; i++) {
    y[i] += x[n - 1 - i];
    s += y[i] * x[i];
  }
#pragma omp target parallel for simd map(y[0 : n]) if (n > 100)
  for (int i = 0; i < n; i++)
    y[i] *= 2;
  return s;
}

static double kept(const double *x, double *y, int n) {
  double *u = (double *)malloc(n * sizeof *u), *v = (double *)malloc(n * sizeof *v), s = 0;
  for (int i = 0; i < n; i++)
    u[i] = x[i];
#pragma omp target enter data map(to : u[0 : n]) map(alloc : v[0 : n])
  for (int step = 0; step < 3; step++) {
#pragma omp target teams distribute parallel for
    for (int i = 1; i < n - 1; i++)
      v[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1]) * u[i];
#pragma omp target teams loop
    for (int i = 1; i < n - 1; i++)
      u[i] = v[i];
#pragma omp target update from(u[1 : 1])
    s += u[1] * u[1];
    u[0] = s;
#pragma omp target update to(u[0 : 1])
  }
#pragma omp target exit data map(from : u[0 : n]) map(delete : v[0 : n])
  for (int i = 0; i < n; i++)
    y[i] = u[i];
  free(u);
  free(v);
  return s;
}

static double scoped(const double *x, double *y, int n) {
  double s = 0;
#pragma omp target data map(to : x[0 : n]) map(tofrom : y[0 : n], s)
  {
#pragma omp target
    for (int i = 0; i < n; i++)
      y[i] = y[i] * x[i];
#pragma omp target data use_device_ptr(x)
#pragma omp target is_device_ptr(x) map(tofrom : s)
    for (int i = 0; i < n; i++)
      s += y[i] * x[i];
#pragma omp target parallel for reduction(max : s) map(tofrom : s)
    for (int i = 0; i < n; i++)
      s = s > y[i] ? s : y[i];
  }
  return s;
}

#pragma omp declare target
double multiplier = 2;
static double square(double v) { return v * v * multiplier; }
#pragma omp end declare target

static double declared(const double *x, double *y, int n) {
  double s = 0;
  multiplier = x[1];
#pragma omp target update to(multiplier)
#pragma omp target map(tofrom : s) map(from : y[0 : n]) map(to : x[0 : n])
  {
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) {
      y[i] = square(x[i]);
      s += y[i];
    }
    multiplier *= x[0];
  }
#pragma omp target update from(multiplier)
  return s * multiplier;
}

struct field {
  int n;
  double *u, h;
};

static double members(const double *x, double *y, int n) {
  struct field f = {n, y, 0};
  for (int i = 0; i < n; i++)
    y[i] = x[i];
#pragma omp target map(tofrom : f, f.u[0 : n]) map(to : x[0 : n])
  {
    f.h = x[0] * x[0];
    for (int i = 0; i < f.n; i++)
      f.u[i] *= x[i] * f.h;
  }
  return f.h;
}

#ifdef CF_TEST_DEVICE // with libomptarget, and without helper threads: see CMakeLists.txt
static double later(const double *x, double *y, int n) {
  double a = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a) shared(a)
    a = x[0] * x[1];
#pragma omp target parallel for depend(inout : a) map(from : y[0 : n]) map(to : a, x[0 : n]) nowait
    for (int i = 0; i < n; i++)
      y[i] = x[i] * a;
#pragma omp target data map(tofrom : y[0 : n]) if (n < 0)
#pragma omp target map(tofrom : y[0 : n]) depend(inout : a) nowait
    y[0] *= y[1];
#pragma omp taskwait
  }
  return a * y[0];
}

static double allocated(const double *x, double *y, int n) {
  int host = omp_get_initial_device(), device = omp_get_default_device();
  size_t bytes = n * sizeof(double);
  double *d = (double *)omp_target_alloc(bytes, device), s = 0;
  omp_target_memcpy(d, x, bytes, 0, 0, device, host);
#pragma omp target teams distribute parallel for is_device_ptr(d)
  for (int i = 0; i < n; i++)
    d[i] *= d[i];
#pragma omp target is_device_ptr(d) map(tofrom : s)
  for (int i = 1; i < n; i++)
    s += d[i] * d[i - 1];
  omp_target_memcpy(y, d, bytes - sizeof *y, sizeof *y, 0, host, device);
  y[0] = s;
  omp_target_free(d, device);
  return s;
}

static double parts(const double *x, double *y, int n) {
  int host = omp_get_initial_device();
  double c[18] = {0}, s = 0;
  size_t volume[] = {2, 3}, to[] = {1, 1}, from[] = {0, 2}, wide[] = {4, 5}, narrow[] = {3, 6};
  omp_target_memcpy_rect(y, x, sizeof *y, 2, volume, to, from, wide, narrow, host, host);
  size_t box[] = {2, (size_t)n / 10, 2}, first[] = {0, 1, 0}, all[] = {2, 3, 3};
  omp_target_memcpy_rect_async(c, x, sizeof *c, 3, box, first, first, all, all, host, host, 0, 0);
  omp_target_memcpy_async(c, y, 5 * sizeof *c, 0, 8, host, host, 0, 0);
  for (int i = 0; i < 18; i++)
    s += c[i] * c[i] * i;
  return s;
}

GRADIENT_CHECK(offload_parts, Double, parts, In(double, 20), InOut(double, 20), Int(20))
GRADIENT_CHECK(offload_later, Double, later, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(offload_allocated, Double, allocated, In(double, 9), Out(double, 9), Int(9))
#endif

GRADIENT_CHECK(offload_kernels, Double, kernels, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(offload_kept, Double, kept, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(offload_scoped, Double, scoped, In(double, 9), InOut(double, 9), Int(9))
GRADIENT_CHECK(offload_declared, Double, declared, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(offload_members, Double, members, In(double, 9), Out(double, 9), Int(9))
