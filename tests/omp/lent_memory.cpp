// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that own their memory by records which a library makes and counts, and reductions in
// memory that it lends to its threads: the functions of Kokkos that callee/Views.def names, in
// short.
// Supports: arrays of Kokkos, reductions of Kokkos
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

} // namespace

GRADIENT_CHECK(lent_memory, Double, energy, In(double, 9), Int(9))
