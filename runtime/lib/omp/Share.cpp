// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the threads of a team share the reverse of one statically divided loop whose updates go to
// neighbouring iterations, without atomics: in two phases if every thread has iterations enough
// (Phases.cpp), else one thread after the other. A thread enters its second phase when its upper
// neighbour has left the first: nobody else touches what it is about to touch.
//
// What all iterations add to, each thread adds to memory of its own, and that to the shared adjoint
// at the end. Only what is not zero is added: the memory covers everything between the lowest and
// the highest address, and what lies there may be no number at all.

#include "contraflow/abi.h"

#include "accumulate/Atomic.h"
#include "omp/Ledger.h"
#include "omp/Model.h"
#include "omp/Phases.h"
#include "omp/Share.h"

#include <algorithm>
#include <cstring>
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

/// The threads begin at different places.
template <typename T> void addPrivate(const cf_private &Own) {
  const int64_t Count = Own.bytes / int64_t(sizeof(T));
  const int64_t Start = Count * threadNumber() / teamSize();
  auto *To = reinterpret_cast<T *>(Own.base);
  auto *From = reinterpret_cast<const T *>(Own.memory);
  Ledger *Book = ledger();
  auto Add = [&](int64_t Begin, int64_t End) {
    for (int64_t I = Begin; I < End; ++I)
      if (From[I] != 0)
        Book ? Book->add(&To[I], From[I]) : addAtomically(To[I], From[I]);
  };
  Add(Start, Count);
  Add(0, Start);
}

template <typename T> void closePrivate(const cf_private &Own, cf_tape *Tape) {
  if (reinterpret_cast<int64_t>(Own.memory) == Own.base)
    return;
  addPrivate<T>(Own);
  cf_v1_tape_release(Tape, Own.memory);
}

/// Where additions have an order, the threads that have iterations run in theirs.
void waitForPlace() {
  while (Current[0].Next.load(std::memory_order_acquire) != threadNumber())
    std::this_thread::yield();
}

void passPlaceOn(int Threads) {
  Current[0].Next.store((threadNumber() + 1) % Threads, std::memory_order_release);
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
    share->locked = omp::threadsOf(trip, Threads);
    if (omp::ledger())
      omp::waitForPlace();
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
  if (!share->locked)
    return;
  omp::OneAtATime.unlock();
  if (omp::ledger())
    omp::passPlaceOn(share->locked);
}

void cf_v1_omp_private_open(const struct cf_footprint *groups, int32_t n, int64_t trip,
                            const struct cf_share *share, struct cf_tape *tape,
                            struct cf_private *own) {
  int64_t Begin = INT64_MAX, End = INT64_MIN;
  for (const cf_footprint *G = groups; G != groups + n; ++G) {
    const int64_t Way = G->stride * (trip - 1);
    Begin = std::min(Begin, G->base + std::min<int64_t>(0, Way));
    End = std::max(End, G->base + G->extent + std::max<int64_t>(0, Way));
  }
  *own = {Begin, reinterpret_cast<char *>(Begin), End - Begin};
  if (omp::teamSize() == 1 || share->locked)
    return;
  own->memory = static_cast<char *>(cf_v1_tape_reserve(tape, own->bytes));
  std::memset(own->memory, 0, static_cast<size_t>(own->bytes));
}

void cf_v1_omp_private_close_f64(struct cf_private *own, struct cf_tape *tape) {
  omp::closePrivate<double>(*own, tape);
}

void cf_v1_omp_private_close_f32(struct cf_private *own, struct cf_tape *tape) {
  omp::closePrivate<float>(*own, tape);
}

void cf_v1_omp_share_enter(void) { omp::OneAtATime.lock(); }

void cf_v1_omp_share_leave(void) { omp::OneAtATime.unlock(); }
