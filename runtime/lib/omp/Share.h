// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Share.cpp needs of a team: one counter per thread.

#pragma once

#include <atomic>
#include <cstdint>

namespace contraflow::omp {

/// How many loops a thread has finished the first phase of.
struct alignas(64) ShareCounters {
  std::atomic<int64_t> Loops = 0;
};

/// Says whose counters (one per thread of its team) the calling thread uses; null: none.
void useShareCounters(ShareCounters *Counters);
ShareCounters *shareCounters();

} // namespace contraflow::omp
