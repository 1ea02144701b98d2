// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions: their clauses, where they may stand, what they capture, what they ask the
// library.
// Supports: regions in recursion and branches, `proc_bind`, `omp_set_dynamic`, nested levels, inquiries
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>

static double defaults(const double *x, double *y, int n) {
  double a = x[0] * x[1], b = 3, s = 0;
#pragma omp parallel for default(firstprivate) shared(x, y) reduction(+ : s)
  for (int i = 0; i < n; i++) {
    b = a * y[i] + x[i];
    s += b * b;
    y[i] *= b;
  }
#pragma omp parallel default(private) shared(x, y, n) reduction(+ : s)
  {
    a = x[2];
#pragma omp for
    for (int i = 0; i < n; i++)
      s += a * y[i];
  }
  return s * a * b;
}
GRADIENT_CHECK(regions_defaults, Double, defaults, In(double, 9), InOut(double, 9), Int(9))

static double clauses(const double *x, double *y, int n, int limit) {
  double sum = 0;
#pragma omp parallel if (n > limit) num_threads(n / 4 + 1) proc_bind(spread) default(none)         \
    shared(x, y, sum) firstprivate(n)
  {
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < n; i++) {
      y[i] = x[i] * x[i];
      sum += sin(y[i]);
    }
  }
#pragma omp parallel for if (parallel : limit < 0) proc_bind(close)
  for (int i = 0; i < n; i++)
    y[i] *= x[0];
#pragma omp parallel for proc_bind(primary) num_threads(2)
  for (int i = 0; i < n; i++)
    y[i] += x[i];
  return sum;
}

struct body {
  double mass, at[3];
  long double charge;
  int kind;
};

static void captured(const double *x, double *y, int n, double a) {
  struct body b = {a, {x[0], x[1] * a, 2}, x[2], 2};
  float f = 0.5f;
  long double l = (long double)x[4] * a;
  double v[4] = {x[0], x[1] * x[2], a, 1}, t = 0;
#pragma omp parallel private(t) firstprivate(b, f, l, v, a)
  {
    v[3] = a * 2;
    b.mass += 1;
#pragma omp for
    for (int i = 0; i < n; i++) {
      t = x[i] * (double)f + b.at[1] * b.kind;
      y[i] = t * v[i % 4] * a + (double)l * b.mass + (double)b.charge;
    }
  }
}

static double work(const double *x, double *y, int n, int depth) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) {
    y[i] += x[i] * x[i] / (depth + 1);
    s += y[i] * x[n - 1 - i];
  }
  return depth ? s + 0.5 * work(x, y, n - 1, depth - 1) : s;
}

static double recursion(const double *x, double *y, int n) { return work(x, y, n, 4); }

// Halves in a team each, which the body of the region forks again.
static double halves(const double *x, int n, int depth) {
  double s = 0;
  if (depth == 0) {
    for (int i = 0; i < n; i++)
      s += x[i] * x[i];
    return s;
  }
#pragma omp parallel sections reduction(+ : s) num_threads(2)
  {
#pragma omp section
    s += halves(x, n / 2, depth - 1);
#pragma omp section
    s += halves(x + n / 2, n - n / 2, depth - 1) * 0.5;
  }
  return s * x[0];
}

static double teamsOfTeams(const double *x, int n) {
  omp_set_max_active_levels(3);
  return halves(x, n, 2);
}

static double branches(const double *x, double *y, int n) {
  double r = 0;
  for (int step = 0; step < 5; step++) {
    switch (step) {
    case 0:
#pragma omp parallel for
      for (int i = 0; i < n; i++)
        y[i] = x[i] * x[i];
      break;
    case 1:
    case 3:
      if (y[0] > 0) {
#pragma omp parallel for reduction(+ : r)
        for (int i = 0; i < n; i++)
          r += y[i] * x[i];
      }
      break;
    default:
#pragma omp parallel for
      for (int i = 0; i < n; i++)
        y[i] = y[i] * (step % 2 ? r : 1 + r * x[i]);
    }
  }
  return r;
}

// The library is asked for numbers, and told others, between the regions.
static double inquiries(const double *x, double *y, int n) {
  double s = 0;
  int before = omp_get_max_threads(), most = 0, inside = 0;
  for (int team = 1; team < 5; team++) {
    omp_set_num_threads(team);
#pragma omp parallel reduction(+ : s) reduction(max : most) reduction(|| : inside)
    {
      int me = omp_get_thread_num(), all = omp_get_num_threads();
      most = all;
      inside = omp_in_parallel() && omp_get_level() == 1 && omp_get_team_size(1) == all &&
               omp_get_ancestor_thread_num(1) == me && omp_get_active_level() <= 1;
      int chunk = (n + all - 1) / all, from = me * chunk, to = from + chunk < n ? from + chunk : n;
      for (int i = from; i < to; i++) {
        y[i] = x[i] * team + (team > 1 ? y[i] : 0) * x[i];
        s += y[i];
      }
    }
  }
  omp_set_num_threads(before);
  if (omp_get_num_procs() < 1 || most < 1)
    s = 0;
  return s * inside * (omp_in_parallel() ? 0 : 1) * (omp_get_cancellation() >= 0);
}

static double dynamicTeams(const double *x, int n) {
  double s = 0;
  omp_set_dynamic(1);
  for (int k = 0; k < 3; k++) {
#pragma omp parallel for reduction(+ : s) num_threads(k + 2)
    for (int i = 0; i < n; i++)
      s += x[i] * x[i] * x[k];
  }
  omp_set_dynamic(0);
  return s;
}

static double nested(const double *x, double *y, int n, int m) {
  double s = 0;
  int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(3);
#pragma omp parallel for num_threads(2) reduction(+ : s)
  for (int i = 0; i < n; i++) {
    double t = 0;
#pragma omp parallel for num_threads(2) reduction(+ : t)
    for (int j = 0; j < m; j++) {
      y[m * i + j] = x[m * i + j] * x[i];
      t += y[m * i + j] * x[j];
    }
    s += t * t;
  }
  omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
#pragma omp for
  for (int i = 0; i < n; i++) {
#pragma omp parallel for num_threads(3)
    for (int j = 0; j < m; j++)
      y[m * i + j] *= x[i];
  }
  omp_set_max_active_levels(levels);
  return s;
}

// What one thread leaves for the others, behind a barrier; what each keeps for a later region.
static double exchanged(const double *x, double *y, int n) {
  double part[8] = {0}, total = 0;
#pragma omp parallel num_threads(8)
  {
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = me; i < n; i += all)
      part[me] += x[i] * x[i];
#pragma omp barrier
    double sum = 0;
    for (int k = 0; k < all; k++)
      sum += part[k];
    for (int i = me; i < n; i += all)
      y[i] = sum * x[i];
#pragma omp barrier
    if (me == 0)
      for (int i = 0; i < n; i++)
        total += y[i] * y[(i + 1) % n];
  }
  return total;
}

static void empty(const double *x, double *y, int n) {
#pragma omp parallel
  {
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
  }
  for (int i = 0; i < n; i++)
    y[i] = x[i] * x[i];
#pragma omp parallel for
  for (int i = n; i < n; i++)
    y[i] = 0;
}

GRADIENT_CHECK(region_clauses, Double, clauses, In(double, 14), Out(double, 14), Int(14), Int(4))
GRADIENT_CHECK(region_serial, Double, clauses, In(double, 14), Out(double, 14), Int(14), Int(40))
GRADIENT_CHECK(region_captured, Void, captured, In(double, 9), Out(double, 9), Int(9),
               Scalar(double))
GRADIENT_CHECK(region_recursion, Double, recursion, In(double, 9), InOut(double, 9), Int(9))
GRADIENT_CHECK(region_teams_of_teams, Double, teamsOfTeams, In(double, 9), Int(9))
GRADIENT_CHECK(region_branches, Double, branches, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(region_inquiries, Double, inquiries, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(region_dynamic_teams, Double, dynamicTeams, In(double, 9), Int(9))
GRADIENT_CHECK(region_nested, Double, nested, In(double, 20), Out(double, 20), Int(4), Int(5))
GRADIENT_CHECK(region_exchanged, Double, exchanged, In(double, 13), Out(double, 13), Int(13))
GRADIENT_CHECK(region_empty, Void, empty, In(double, 5), Out(double, 5), Int(5))
