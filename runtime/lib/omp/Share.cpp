// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the threads of a team share the reverse of one statically divided loop whose updates go to
// neighbouring iterations, without atomics: in two phases if every thread has iterations enough
// (Phases.cpp), else one thread after the other. A thread enters its second phase when its upper
// neighbour has left the first: nobody else touches what it is about to touch.

#include "contraflow/abi.h"

#include "omp/Model.h"
#include "omp/Phases.h"
#include "omp/Share.h"

#include <mutex>
#include <thread>

namespace contraflow::omp {
namespace {

thread_local ShareCounters *Current = nullptr;
std::mutex OneAtATime;

bool plainMeetsAtomic(const cf_footprint *Groups, int32_t Plain, int32_t Atomic, int64_t Trip) {
  for (int32_t G = 0; G < Plain; ++G)
    for (int32_t H = Plain; H < Plain + Atomic; ++H)
      if (hullsMeet(Groups[G], Groups[H], Trip))
        return true;
  return false;
}

} // namespace

void useShareCounters(ShareCounters *Counters) { Current = Counters; }

ShareCounters *shareCounters() { return Current; }

} // namespace contraflow::omp

using namespace contraflow;

void cf_v1_omp_share_open(const struct cf_footprint *groups, int32_t plain, int32_t atomic,
                          int64_t trip, struct cf_share *share) {
  const int Threads = omp::teamSize();
  const int64_t Count = share->last[0] + 1;
  const bool Ordered = share->locked != 0;
  share->locked = 0;
  share->phases = 1;
  share->first[0] = 0;
  if (Threads == 1)
    return;
  const int64_t Overlap = omp::overlapOf(groups, plain, trip);
  const bool Meets = omp::plainMeetsAtomic(groups, plain, atomic, trip);
  if (Overlap == 0 && !Meets)
    return;
  const bool Splits = omp::numPhases(Overlap, omp::smallestShare(trip, Threads), Threads) == 2;
  if (Meets || Ordered || !Splits || !omp::Current) {
    share->locked = 1;
    omp::OneAtATime.lock();
    return;
  }
  share->phases = 2;
  for (int32_t P = 0; P < 2; ++P) {
    const omp::Range R = omp::phaseRange({P, 2}, Overlap, Count, omp::threadNumber());
    share->first[P] = R.First;
    share->last[P] = R.Last;
  }
}

void cf_v1_omp_share_phase(struct cf_share *share, int32_t phase) {
  if (share->phases != 2 || phase != 1)
    return;
  const int Self = omp::threadNumber();
  const int64_t Done = omp::Current[Self].Loops.fetch_add(1, std::memory_order_release) + 1;
  if (Self + 1 == omp::teamSize())
    return;
  while (omp::Current[Self + 1].Loops.load(std::memory_order_acquire) < Done)
    std::this_thread::yield();
}

void cf_v1_omp_share_close(struct cf_share *share) {
  if (share->locked)
    omp::OneAtATime.unlock();
}
