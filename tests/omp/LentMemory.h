// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that a library lends to its threads: what callee/Views.def names of it, in short.
#ifndef CONTRAFLOW_TEST_LENT_MEMORY_H
#define CONTRAFLOW_TEST_LENT_MEMORY_H

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <omp.h>
#include <utility>

namespace Kokkos::Impl {

class HostThreadTeamData {
public:
  int64_t *pool_reduce_local() const noexcept { return Scratch + Reduce; }
  std::pair<int64_t, int64_t> Range;
  int64_t *Scratch = nullptr;

private:
  static constexpr int Reduce = 8;
};

class OpenMPInternal {
public:
  static constexpr int Most = 64;
  HostThreadTeamData *get_thread_data() const noexcept { return Pool[omp_get_thread_num()]; }
  HostThreadTeamData *get_thread_data(int i) const noexcept { return Pool[i]; }
  void resize_thread_data(size_t reduce, size_t) {
    for (int i = 0; i < Most; ++i) {
      if (!Pool[i])
        Pool[i] = new HostThreadTeamData;
      if (reduce > Bytes) {
        std::free(Pool[i]->Scratch);
        Pool[i]->Scratch = static_cast<int64_t *>(std::malloc(64 + reduce));
      }
    }
    Bytes = std::max(Bytes, reduce);
  }
  ~OpenMPInternal() {
    for (HostThreadTeamData *d : Pool)
      if (d) {
        std::free(d->Scratch);
        delete d;
      }
  }
  int Level = 0;
  std::mutex Busy;

private:
  size_t Bytes = 0;
  HostThreadTeamData *Pool[Most] = {};
};

} // namespace Kokkos::Impl

namespace Kokkos {

/// A handle of all threads.
class OpenMP {
public:
  OpenMP() {
    static Impl::OpenMPInternal all;
    Instance = &all;
  }
  Impl::OpenMPInternal *impl_internal_space_instance() const { return Instance; }

private:
  Impl::OpenMPInternal *Instance;
};

} // namespace Kokkos

namespace Kokkos::Impl {

/// Each thread adds up in what it is lent; then one adds the parts.
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

} // namespace Kokkos::Impl

#endif
