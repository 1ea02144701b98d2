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

template <class F> struct Sum {
  F Body;
  OpenMPInternal *Instance;
  int N;
  double *Result;
  void execute() const {
    const std::lock_guard<std::mutex> lock(Instance->Busy);
    Instance->resize_thread_data(sizeof(double), 0);
    const int threads = omp_get_max_threads();
#pragma omp parallel num_threads(threads)
    {
      HostThreadTeamData &data = *Instance->get_thread_data();
      const int t = omp_get_thread_num();
      data.Range = {int64_t(N) * t / threads, int64_t(N) * (t + 1) / threads};
      double &part = *reinterpret_cast<double *>(data.pool_reduce_local());
      part = 0;
      for (int64_t i = data.Range.first; i < data.Range.second; ++i)
        Body(static_cast<int>(i), part);
    }
    auto *all = reinterpret_cast<double *>(Instance->get_thread_data(0)->pool_reduce_local());
    for (int t = 1; t < threads; ++t)
      *all += *reinterpret_cast<double *>(Instance->get_thread_data(t)->pool_reduce_local());
    *Result = *all;
  }
};

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
