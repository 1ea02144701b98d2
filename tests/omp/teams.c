// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Teams, distribute and target on the host.
// Supports: `teams`, `distribute` and `target` on the host
#include "GradientCheck.h"

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

GRADIENT_CHECK(teams, Double, league, In(double, 14), InOut(double, 14), Int(14))
GRADIENT_CHECK(target_on_host, Void, offloaded, In(double, 14), InOut(double, 14), Int(14))
