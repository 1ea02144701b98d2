// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parallel region and its mirror. Thread t of the reverse team consumes what thread t of the
// forward team recorded, so the record of a region is the size of its team and one root frame per
// thread:
//
//   parent's tape    | ... | cf_team: size, frame of thread 0, 1, ... |
//   child arenas       0: | root frame ... |    1: | root frame ... |   ...
//
//   forward                                    reverse
//   R = team_begin(T)                          team_reverse(R)            // same number of threads
//   fork:  C = team_tape(R)                    fork:  team_check(R)
//          ... record on C ...                        C = team_tape(R); F = team_frame(R)
//          team_store(R, root frame)                  ... consume F, release it on C ...
//                                              team_end(R)

#include "contraflow/abi.h"

#include "omp/Ledger.h"
#include "omp/Model.h"
#include "omp/Phases.h"
#include "omp/Reach.h"
#include "omp/Share.h"
#include "support/Fail.h"
#include "tape/Arena.h"
#include "tape/DerivativeCall.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif
#include <utility>

using namespace contraflow;

namespace {
constexpr int64_t Unrationed = -1;
}

struct cf_team {
  /// What a thread leaves to its reverse.
  struct Member {
    void *Frame;
    TaskContext Tasks;
  };
  Arena *Parent;
  int32_t Capacity; ///< how many frames there is room for behind the record
  std::atomic<int32_t> Size = 0;
  /// How many have left their frames: what orders them before the reverse also for who does not
  /// see the end of the region, which is the library's.
  std::atomic<int32_t> Stored = 0;
  std::atomic<bool> Entered = false;
  int64_t Begin = Unrationed, End = Unrationed; ///< tickets of its threads, see takePlaces
  /// Frames of a team that turned out larger than expected; made by the first thread that needs it.
  std::atomic<Member *> Overflow = nullptr;
  omp::Limits Before;                   ///< reverse: what to put back afterwards
  int64_t Call = 0;                     ///< the number of the derivative call
  omp::ShareCounters *Shares = nullptr; ///< reverse: one per thread
  omp::ShareCounters *OuterShares =
      nullptr; ///< those of the team to which the forking thread belongs
  /// What the threads come to by ways that only the run knows: from the lowest address to behind
  /// the highest.
  struct Range {
    std::atomic<int64_t> Low = INT64_MAX, High = INT64_MIN;
  };
  std::array<Range, 4> Ranges;
  /// One for each thread, on the tape of the thread that forks, which rests meanwhile.
  std::atomic<omp::ReachTable *> Reaches = nullptr;

  cf_team(Arena *Parent, int32_t Capacity) : Parent(Parent), Capacity(Capacity) {}
  Member &member(int Thread);
  omp::ReachTable *makeReaches();
};

cf_team::Member &cf_team::member(int Thread) {
  if (Thread < Capacity)
    return reinterpret_cast<Member *>(this + 1)[Thread];
  Member *Members = Overflow.load(std::memory_order_acquire);
  if (!Members) {
    auto *Fresh = new Member[static_cast<size_t>(omp::teamSize())]();
    if (Overflow.compare_exchange_strong(Members, Fresh, std::memory_order_acq_rel))
      Members = Fresh;
    else
      delete[] Fresh;
  }
  return Members[Thread];
}

omp::ReachTable *cf_team::makeReaches() {
  if (omp::ReachTable *Known = Reaches.load(std::memory_order_acquire))
    return Known;
  static std::mutex OneMakes;
  const std::lock_guard Hold(OneMakes);
  omp::ReachTable *Known = Reaches.load(std::memory_order_relaxed);
  if (!Known) {
    const auto Threads = static_cast<size_t>(omp::teamSize());
    void *Room = Parent->reserve(static_cast<int64_t>(sizeof(omp::ReachTable) * Threads));
    Known = static_cast<omp::ReachTable *>(Room);
    std::uninitialized_value_construct_n(Known, Threads);
    Reaches.store(Known, std::memory_order_release);
  }
  return Known;
}

cf_team *cf_v1_omp_team_begin(cf_tape *parent) { return cf_v1_omp_team_sized(parent, 0); }

cf_team *cf_v1_omp_team_sized(cf_tape *parent, int32_t threads) {
  const int32_t Capacity = std::max(threads > 0 ? threads : omp::maxThreads(), 1);
  const auto Bytes = static_cast<int64_t>(sizeof(cf_team) + sizeof(cf_team::Member) * Capacity);
  Arena *Parent = Arena::of(parent);
  auto *Team = new (Parent->reserve(Bytes)) cf_team(Parent, Capacity);
  Team->Call = cf_v1_call_number();
  return Team;
}

namespace {
// Every thread that consults the record works for the derivative call that made it.
void join(const cf_team &Team) { setCurrentCall(&Team.Parent->root()); }

// Where OMP_THREAD_LIMIT rations threads, an inner team gets what others have left. Its reverse
// needs as many, so such teams come and go in the opposite of the order in which they did:
//
//   forward   A: begins, 0   A: ends, 1    B: begins, 2   B: ends, 3     2 threads at a time
//   reverse   B: 3, forks    B: joins, 2   A: 1, forks    A: joins, 0
//
// All that a team does lies between its tickets, so waiting for them has no cycles.
char Places;

void takePlaces(cf_team &Team) {
  if (omp::isRationed() && !Team.Entered.exchange(true, std::memory_order_relaxed))
    Team.Begin = cf_v1_omp_turn_record(&Places);
}

void leavePlaces(cf_team &Team, bool Last) {
  if (Last && omp::isRationed())
    Team.End = cf_v1_omp_turn_record(&Places);
}

void awaitPlaces(int64_t Ticket) {
  if (Ticket != Unrationed)
    cf_v1_omp_turn_wait(&Places, Ticket);
}

void passPlaces(int64_t Ticket) {
  if (Ticket != Unrationed)
    cf_v1_omp_turn_done(&Places, Ticket);
}
} // namespace

cf_tape *cf_v1_omp_team_tape(cf_team *team) {
  join(*team);
  cf_v1_call_enter(team->Call);
  takePlaces(*team);
  Arena &Own = team->Parent->child(omp::threadNumber());
  Own.Region = team;
  return &Own;
}

void cf_v1_omp_team_store(cf_team *team, void *frame) {
  const int Thread = omp::threadNumber();
  cf_tape *Own = &team->Parent->child(Thread);
  cf_v1_omp_task_join(Own);
  team->member(Thread) = {frame, std::exchange(Arena::of(Own)->Tasks, {})};
  if (Thread == 0)
    team->Size.store(omp::teamSize(), std::memory_order_relaxed);
  const int Before = team->Stored.fetch_add(1, std::memory_order_acq_rel);
  leavePlaces(*team, Before == omp::teamSize() - 1);
}

void *cf_v1_omp_team_frame(cf_team *team) {
  join(*team);
  const int Thread = omp::threadNumber();
  const cf_team::Member &Mine = team->member(Thread);
  cf_tape *Own = &team->Parent->child(Thread);
  Arena::of(Own)->Tasks = Mine.Tasks;
  cf_v1_omp_task_fork(Own);
  return Mine.Frame;
}

void cf_v1_omp_team_reverse(cf_team *team) {
  cf_v1_omp_ledger_flush();
  static_cast<void>(team->Stored.load(std::memory_order_acquire));
  team->Call = cf_v1_call_number();
  const int32_t Size = team->Size.load(std::memory_order_relaxed);
  team->Before = omp::liftLimits(Size);
  team->OuterShares = omp::shareCounters();
  team->Shares = new omp::ShareCounters[static_cast<size_t>(Size)];
  awaitPlaces(team->End);
  omp::pushNumThreads(Size);
}

void cf_v1_omp_team_check(cf_team *team) {
  join(*team);
  const int Recorded = team->Size.load(std::memory_order_relaxed);
  if (omp::teamSize() != Recorded)
    fail(ErrorId::TeamSize, std::to_string(omp::teamSize()), std::to_string(Recorded));
  if (omp::threadNumber() == 0)
    passPlaces(team->End);
  omp::useShareCounters(team->Shares);
  cf_v1_call_enter(team->Call);
}

void cf_v1_omp_team_end(cf_team *team) {
  awaitPlaces(team->Begin);
  passPlaces(team->Begin);
  omp::restoreLimits(team->Before);
  omp::useShareCounters(team->OuterShares);
  delete[] team->Shares;
  delete[] team->Overflow.load(std::memory_order_relaxed);
  team->Parent->release(team);
}

void cf_v1_omp_team_drop(cf_team *team) { delete[] team->Overflow.load(std::memory_order_relaxed); }

void cf_v1_omp_barrier() {
  omp::settleLedgers();
  omp::barrier();
}

void cf_v1_team_meet_again(int32_t had_waited) {
  if (had_waited)
    cf_v1_omp_barrier();
  cf_v1_omp_barrier();
}

void cf_v1_omp_alone_begin() { omp::beginAlone(); }

void cf_v1_omp_alone_end() { omp::endAlone(); }

namespace {
void widen(std::atomic<int64_t> &Bound, int64_t To, bool Up) {
  int64_t Old = Bound.load(std::memory_order_relaxed);
  while ((Up ? Old < To : To < Old) &&
         !Bound.compare_exchange_weak(Old, To, std::memory_order_relaxed)) {
  }
}
} // namespace

void cf_v1_omp_range_note(cf_tape *tape, int32_t number, int64_t low, int64_t high) {
  cf_team *Team = Arena::of(tape)->Region;
  if (low >= high || !Team)
    return;
  cf_team::Range &R = Team->Ranges[static_cast<size_t>(number)];
  widen(R.Low, low, false);
  widen(R.High, high, true);
}

int32_t cf_v1_omp_range_apart(cf_tape *tape, int32_t number, const cf_footprint *groups, int32_t n,
                              int64_t trip) {
  const cf_team *Team = Arena::of(tape)->Region;
  if (omp::teamSize() == 1)
    return 1;
  if (!Team)
    return 0;
  const cf_team::Range &R = Team->Ranges[static_cast<size_t>(number)];
  const int64_t Low = R.Low.load(std::memory_order_relaxed);
  const int64_t High = R.High.load(std::memory_order_relaxed);
  return Low >= High || std::none_of(groups, groups + n, [&](const cf_footprint &G) {
           return omp::hullsMeet(G, {Low, High - Low, 0}, trip);
         });
}

void cf_v1_omp_reach_note(cf_tape *tape, int32_t slot, int32_t phase, const cf_reach *reach) {
  if (cf_team *Team = Arena::of(tape)->Region; Team && omp::teamSize() > 1)
    Team->makeReaches()[omp::threadNumber()][static_cast<size_t>(slot)] = {*reach, phase};
}

const omp::ReachTable *omp::reaches(cf_tape *Tape) {
  const cf_team *Team = Arena::of(Tape)->Region;
  return Team ? Team->Reaches.load(std::memory_order_relaxed) : nullptr;
}

int32_t cf_v1_omp_is_alone() { return omp::isAlone() ? 1 : 0; }

int32_t cf_v1_omp_is_only() {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded && omp::isAlone() ? 1 : 0;
#else
  return 0;
#endif
}

void cf_v1_omp_team_part_f64(cf_team *team, double *sum, double part) {
  team->Shares[omp::threadNumber()].Parts.push_back({sum, nullptr, part});
}

void cf_v1_omp_team_part_f32(cf_team *team, float *sum, float part) {
  team->Shares[omp::threadNumber()].Parts.push_back({nullptr, sum, part});
}

void cf_v1_omp_team_sums(cf_team *team) {
  for (int32_t T = 0; T < team->Size.load(std::memory_order_relaxed); ++T)
    for (const omp::PartOfSum &P : team->Shares[T].Parts)
      if (P.Wide)
        *P.Wide += P.Value;
      else
        *P.Narrow += static_cast<float>(P.Value);
}

void *cf_v1_omp_copyprivate(void *mine, int32_t did) { return omp::broadcast(mine, did != 0); }
