// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that own their memory by records which a library makes and counts, and reductions in
// memory that it lends to its threads: the functions of Kokkos that callee/Views.def names, in
// short.
// Supports: arrays of Kokkos, reductions of Kokkos, scans of Kokkos, teams of Kokkos
#include "GradientCheck.h"
#include "LentMemory.h"
#include <cmath>

namespace {

using namespace Kokkos::Impl;

template <class F> double sum(int n, const F &body) {
  double result = 0;
  const Kokkos::OpenMP space;
  const Sum<F> kernel{body, space.impl_internal_space_instance(), n, &result};
  kernel.execute();
  return result;
}

/// The second kernel reduces in the memory of the first.
double energy(const double *x, int n) {
  const double s = sum(n, [=](int i, double &t) { t += x[i] * x[i] * std::sin(x[i]); });
  const double u = sum(n, [=](int i, double &t) { t += std::exp(-x[i] * s); });
  return s * u + sum(n, [=](int i, double &t) { t += u * x[i]; });
}

/// The sums up to each number, and those before it.
double running(const double *x, int n) {
  double up[32], before[32], result = 0;
  const Kokkos::OpenMP space;
  auto *instance = space.impl_internal_space_instance();
  const auto both = [&up, &before, x](int i, double &t, bool last) {
    if (last)
      before[i] = t;
    t += x[i] * x[i];
    if (last)
      up[i] = std::sin(t);
  };
  const Scan<decltype(both)> kernel{both, instance, n};
  kernel.execute();
  for (int i = 0; i < n; ++i)
    result += up[i] * before[i] * (i + 1);
  return result * sum(n, [&](int i, double &t) { t += up[i] * x[i]; });
}

/// Products of rows, in memory of a team.
double league(const double *x, int n) {
  double y[32], result = 0;
  const Kokkos::OpenMP space;
  const auto row = [&y, x, n](int i, double *shared) {
    for (int j = 0; j < n; ++j)
      shared[j] = x[i] * std::sin(x[j]);
    y[i] = 0;
    for (int j = 0; j < n; ++j)
      y[i] += shared[j] * shared[(i + j) % n];
  };
  const League<decltype(row)> kernel{row, space.impl_internal_space_instance(), n};
  kernel.execute();
  for (int i = 0; i < n; ++i)
    result += y[i] * y[i] * (i + 1);
  return result;
}

} // namespace

GRADIENT_CHECK(lent_memory, Double, energy, In(double, 9), Int(9))
GRADIENT_CHECK(running_sums, Double, running, In(double, 9), Int(9))
GRADIENT_CHECK(league_of_teams, Double, league, In(double, 9), Int(9))
