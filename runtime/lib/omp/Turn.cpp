// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections and locks in reverse: entries are reversed in the opposite of the order in
// which they happened. While it holds the lock, the forward sweep gives each entry the next ticket
// 0, 1, 2, ...; in the reverse sweep entry k waits until entry k + 1 is done:
//
//   forward   thread A: enter, ticket 0    thread B: enter, ticket 1    thread A: enter, ticket 2
//   reverse   thread A: 2 at once          thread B: 1 when 2 is done   thread A: 0 when 1 is done
//
// One counter per lock holds the tickets that are given and not yet reversed. When all are reversed
// it is where it began, and the next sweep starts afresh. Derivative calls that run at the same
// time on different threads have counters of their own: a counter belongs to a lock address and a
// call.
//
// The table is a fixed array of lists that only grow. Looking up takes no lock; an entry is added
// at the head of its list by one exchange.

#include "contraflow/abi.h"

#include "omp/Ledger.h"
#include "omp/Model.h"
#include "tape/DerivativeCall.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <sched.h>
#include <vector>

namespace contraflow {
namespace {

struct alignas(64) Turn {
  std::atomic<int64_t> Outstanding = 0;
  std::atomic<bool> InOrder = false; ///< threads enter once each: who leaves tells nobody anything
  const void *Lock;
  const Arena *Call;
  Turn *Next = nullptr;

  Turn(const void *Lock, const Arena *Call) : Lock(Lock), Call(Call) {}
};

constexpr int64_t NoEntry = -1; ///< the ticket of a lock that was not set

constexpr size_t NumLists = 1024;
std::array<std::atomic<Turn *>, NumLists> Lists{};

std::atomic<Turn *> &listOf(const void *Lock, const Arena *Call) {
  const auto Key = reinterpret_cast<uintptr_t>(Lock) ^ reinterpret_cast<uintptr_t>(Call) * 31;
  return Lists[(Key * UINT64_C(0x9E3779B97F4A7C15) >> 54) % NumLists];
}

// Looks at the list from From down to, but not including, End.
Turn *find(Turn *From, const Turn *End, const void *Lock, const Arena *Call) {
  for (Turn *T = From; T != End; T = T->Next)
    if (T->Lock == Lock && T->Call == Call)
      return T;
  return nullptr;
}

Turn &turnOf(const void *Lock) {
  const Arena *Call = currentCall();
  std::atomic<Turn *> &List = listOf(Lock, Call);
  Turn *Head = List.load(std::memory_order_acquire);
  if (Turn *T = find(Head, nullptr, Lock, Call))
    return *T;
  auto *Fresh = new Turn(Lock, Call);
  for (;;) {
    Fresh->Next = Head;
    if (List.compare_exchange_weak(Head, Fresh, std::memory_order_acq_rel))
      return *Fresh;
    // Others were faster; perhaps with the same key.
    if (Turn *T = find(Head, Fresh->Next, Lock, Call)) {
      delete Fresh;
      return *T;
    }
  }
}

/// Atomic operations on different numbers may share a lock; nothing waits while it holds one.
std::mutex &atomicLockOf(const void *Address) {
  static std::array<std::mutex, 64> Locks;
  return Locks[(reinterpret_cast<uintptr_t>(Address) >> 3) % Locks.size()];
}

thread_local int TurnsHeld = 0;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace

bool omp::holdsTurn() { return TurnsHeld > 0; }

} // namespace contraflow

using namespace contraflow;

int64_t cf_v1_omp_turn_record(void *lock) {
  return turnOf(lock).Outstanding.fetch_add(1, std::memory_order_relaxed);
}

int64_t cf_v1_omp_turn_held(void *lock) {
  return turnOf(lock).Outstanding.load(std::memory_order_relaxed) - 1;
}

int64_t cf_v1_omp_turn_tested(void *lock, int32_t is_set) {
  if (is_set)
    return cf_v1_omp_turn_record(lock);
  sched_yield(); // a program that asks again and again records each time
  return NoEntry;
}

void cf_v1_omp_turn_wait(void *lock, int64_t ticket) {
  constexpr int SpinsBeforeYield = 256;
  const std::atomic<int64_t> &Outstanding = turnOf(lock).Outstanding;
  for (int Spins = 0; Outstanding.load(std::memory_order_acquire) != ticket + 1; ++Spins) {
    if (Spins < SpinsBeforeYield)
      relax();
    else
      sched_yield();
  }
  ++TurnsHeld;
}

void cf_v1_omp_turn_done(void *lock, int64_t ticket) {
  if (ticket == NoEntry)
    return;
  --TurnsHeld;
  Turn &T = turnOf(lock);
  if (!T.InOrder.load(std::memory_order_relaxed))
    cf_v1_omp_ledger_flush();
  T.Outstanding.store(ticket, std::memory_order_release);
}

namespace {

/// One entry of each thread of a team.
struct Sequence {
  std::atomic<int> Next = 0;
};
thread_local std::vector<Sequence *> Sequences; ///< those that the thread is in

} // namespace

void cf_v1_omp_ordered_enter(void *lock) {
  Sequence *S = nullptr;
  const int Self = omp::threadNumber();
  if (omp::teamSize() > 1) {
    S = static_cast<Sequence *>(omp::broadcast(Self == 0 ? new Sequence : nullptr, Self == 0));
    while (S->Next.load(std::memory_order_acquire) != Self)
      sched_yield();
  }
  Sequences.push_back(S);
  atomicLockOf(lock).lock(); // another team may be in the same section
  turnOf(lock).InOrder.store(true, std::memory_order_relaxed);
}

void cf_v1_omp_ordered_leave(void *lock) {
  atomicLockOf(lock).unlock();
  Sequence *S = Sequences.back();
  Sequences.pop_back();
  if (!S)
    return;
  if (omp::threadNumber() + 1 == omp::teamSize())
    delete S;
  else
    S->Next.fetch_add(1, std::memory_order_release);
}

void cf_v1_omp_atomic_enter(void *address) { atomicLockOf(address).lock(); }

void cf_v1_omp_atomic_watch(void *address) {
  constexpr int LooksBeforeSleep = 64;
  constexpr timespec Pause = {0, 20'000};
  struct Look {
    void *Address;
    int64_t Entries;
    int Times;
  };
  thread_local Look Last{};
  const int64_t Entries = turnOf(address).Outstanding.load(std::memory_order_relaxed);
  const bool Waits = Last.Address == address && Entries <= Last.Entries + 1;
  Last = {address, Entries, Waits ? Last.Times + 1 : 0};
  if (Last.Times > LooksBeforeSleep) // every look is recorded
    nanosleep(&Pause, nullptr);
  atomicLockOf(address).lock();
}

void cf_v1_omp_atomic_leave(void *address) { atomicLockOf(address).unlock(); }
