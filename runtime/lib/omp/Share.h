// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Share.cpp needs of a team: one counter per thread; and the sums over the team.

#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace contraflow::omp {

/// What a thread adds to a sum when the region is over.
struct PartOfSum {
  double *Wide;
  float *Narrow; ///< if it is not wide
  double Value;
};

struct alignas(64) ShareCounters {
  std::atomic<int64_t> Loops = 0; ///< how many loops the thread has finished the first phase of
  std::atomic<int> Next = 0; ///< of thread 0's: whose turn it is where one runs after the other
  std::vector<PartOfSum> Parts;
};

/// Says whose counters (one per thread of its team) the calling thread uses; null: none.
void useShareCounters(ShareCounters *Counters);
ShareCounters *shareCounters();

} // namespace contraflow::omp
