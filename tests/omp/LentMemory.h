// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that a library lends to its threads: what callee/Views.def names of it, in short.
#ifndef CONTRAFLOW_TEST_LENT_MEMORY_H
#define CONTRAFLOW_TEST_LENT_MEMORY_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <omp.h>
#include <thread>
#include <utility>

namespace Kokkos::Impl {

class HostThreadTeamData {
public:
  int64_t *pool_reduce_local() const noexcept { return Scratch + Reduce; }
  std::pair<int64_t, int64_t> Range;
  int64_t *Scratch = nullptr;
  HostThreadTeamData *const *Pool = nullptr;
  std::atomic<int> *Arrived = nullptr;

  HostThreadTeamData *pool_member(int i) const noexcept { return Pool[i]; }
  /// All threads meet; the first one goes on alone until it lets the others go.
  int pool_rendezvous() const noexcept {
    const int threads = omp_get_num_threads(), all = threads + 1, here = Arrived->fetch_add(1);
    const bool first = omp_get_thread_num() == 0;
    while (Arrived->load() < here / all * all + (first ? threads : all))
      std::this_thread::yield();
    return first;
  }
  void pool_rendezvous_release() const noexcept { Arrived->fetch_add(1); }
  /// Teams within the team, of one thread each.
  int organize_team(int size) noexcept { return TeamSize = size; }
  void disband_team() noexcept { TeamSize = 1; }
  bool team_rendezvous() const noexcept { return true; }
  void team_rendezvous_release() const noexcept {}
  int64_t *team_shared() const noexcept { return Scratch + Reduce + 1; }

private:
  static constexpr int Reduce = 8;
  int TeamSize = 1;
};

class OpenMPInternal {
public:
  static constexpr int Most = 64;
  HostThreadTeamData *get_thread_data() const noexcept { return Pool[omp_get_thread_num()]; }
  HostThreadTeamData *get_thread_data(int i) const noexcept { return Pool[i]; }
  void resize_thread_data(size_t reduce, size_t shared) {
    reduce += shared;
    for (int i = 0; i < Most; ++i) {
      if (!Pool[i]) {
        Pool[i] = new HostThreadTeamData;
        Pool[i]->Pool = Pool;
        Pool[i]->Arrived = &Arrived;
      }
      if (reduce > Bytes) {
        std::free(Pool[i]->Scratch);
        Pool[i]->Scratch = static_cast<int64_t *>(std::malloc(64 + reduce));
      }
    }
    Bytes = std::max(Bytes, reduce);
    Arrived = 0;
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
  std::atomic<int> Arrived = 0;
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

/// Each thread adds up its part; one adds the parts; then each goes on from what is before its own.
template <class F> struct Scan {
  F Body;
  OpenMPInternal *Instance;
  int N;
  void execute() const {
    const std::lock_guard<std::mutex> lock(Instance->Busy);
    Instance->resize_thread_data(2 * sizeof(double), 0);
    const int threads = omp_get_max_threads();
#pragma omp parallel num_threads(threads)
    {
      HostThreadTeamData &data = *Instance->get_thread_data();
      const int t = omp_get_thread_num();
      const int first = N * t / threads, last = N * (t + 1) / threads;
      double &sum = *reinterpret_cast<double *>(data.pool_reduce_local());
      sum = 0;
      for (int i = first; i < last; ++i)
        Body(i, sum, false);
      if (data.pool_rendezvous()) {
        double *before = nullptr;
        for (int i = 0; i < threads; ++i) {
          auto *part = reinterpret_cast<double *>(data.pool_member(i)->pool_reduce_local());
          part[1] = before ? before[0] + before[1] : 0;
          before = part;
        }
        data.pool_rendezvous_release();
      }
      double &base = reinterpret_cast<double *>(data.pool_reduce_local())[1];
      for (int i = first; i < last; ++i)
        Body(i, base, true);
    }
  }
};

/// Each member of the league has a team and its memory.
template <class F> struct League {
  F Body;
  OpenMPInternal *Instance;
  int N;
  void execute() const {
    const std::lock_guard<std::mutex> lock(Instance->Busy);
    Instance->resize_thread_data(sizeof(double), N * sizeof(double));
    const int threads = omp_get_max_threads();
#pragma omp parallel num_threads(threads)
    {
      HostThreadTeamData &data = *Instance->get_thread_data();
      const int t = omp_get_thread_num();
      if (data.organize_team(1))
        for (int i = N * t / threads; i < N * (t + 1) / threads; ++i) {
          Body(i, reinterpret_cast<double *>(data.team_shared()));
          if (data.team_rendezvous())
            data.team_rendezvous_release();
        }
      data.disband_team();
    }
  }
};

} // namespace Kokkos::Impl

#endif
