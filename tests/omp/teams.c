// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Teams, distribute and target on the host.
// Supports: `teams`, `distribute` and `target` on the host
#include "GradientCheck.h"
#pragma clang diagnostic ignored "-Wpass-failed" // not every simd loop is vectorised

static double league(const double *x, double *y, int n) {
  double s = 0;
#pragma omp teams distribute parallel for num_teams(2) reduction(+ : s)
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * x[i] * y[i];
    s += y[i] * x[i];
  }
#pragma omp teams
#pragma omp distribute dist_schedule(static, 3)
  for (int i = 0; i < n; i++)
    y[i] *= x[n - 1 - i];
  return s;
}

static void offloaded(const double *x, double *y, int n) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i] + y[i] * x[i];
}

// Neighbouring iterations on neighbouring threads: only the lower bound and the stride of a thread
// are read.
static double strided(const double *x, double *y, int n, int m) {
  double s = 0;
#pragma omp target teams distribute parallel for schedule(static, 1)
  for (int i = 0; i < n; i++)
    y[i] *= x[i] * x[(i + 1) % n];
#pragma omp teams distribute parallel for simd collapse(2) dist_schedule(static, 5)                \
    schedule(static, 1) reduction(+ : s)
  for (int i = 0; i < n; i++)
    for (int j = m; j > 0; j -= 2)
      s += y[i] * x[j];
#pragma omp parallel for schedule(static, 1)
  for (unsigned long i = 0; i < (unsigned long)n; i += 2)
    y[i] += x[0];
  return s;
}

// What flang makes of distribute parallel do: one call divides among teams and threads.
extern int __kmpc_global_thread_num(void *);
extern void __kmpc_dist_for_static_init_4u(void *, int, int, int *, unsigned *, unsigned *,
                                           unsigned *, int *, int, int);
extern void __kmpc_for_static_fini(void *, int);
static void divided(const double *x, double *y, int n) {
#pragma omp teams num_teams(2)
#pragma omp parallel
  {
    int thread = __kmpc_global_thread_num(0), last = 0, stride = 1;
    unsigned lower = 0, upper = n - 1, ofTeam;
    __kmpc_dist_for_static_init_4u(0, thread, 34, &last, &lower, &upper, &ofTeam, &stride, 1, 0);
    for (unsigned i = lower; i <= upper; i++)
      y[i] *= x[i] * x[i];
    __kmpc_for_static_fini(0, thread);
  }
}

GRADIENT_CHECK(teams_divided, Void, divided, In(double, 16), InOut(double, 16), Int(16))
GRADIENT_CHECK(teams, Double, league, In(double, 14), InOut(double, 14), Int(14))
GRADIENT_CHECK(teams_strided, Double, strided, In(double, 14), InOut(double, 14), Int(14), Int(5))
GRADIENT_CHECK(target_on_host, Void, offloaded, In(double, 14), InOut(double, 14), Int(14))
