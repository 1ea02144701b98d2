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

#endif
