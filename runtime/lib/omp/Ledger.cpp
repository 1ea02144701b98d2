// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "omp/Ledger.h"

#include "contraflow/abi.h"

#include "accumulate/Atomic.h"
#include "omp/Model.h"
#include "omp/Share.h"

#include <algorithm>

namespace contraflow::omp {

template <typename T> constexpr Ledger::Kind Ledger::kindOf() {
  return sizeof(T) == 4 ? F32 : sizeof(T) == 8 ? F64 : F80;
}

static size_t hashOf(uintptr_t Number) {
  return static_cast<size_t>((Number * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

Ledger::Page *Ledger::find(uintptr_t Number, Kind What) {
  if (Last && Last->Number == Number && Last->What == What)
    return Last;
  if (Table.empty())
    return nullptr;
  for (size_t I = hashOf(Number + What);; ++I) {
    Page *P = Table[I % Table.size()];
    if (!P || (P->Number == Number && P->What == What))
      return P;
  }
}

void Ledger::grow() {
  std::vector<Page *> Larger(std::max<size_t>(64, Table.size() * 2));
  for (Page &P : Pages) {
    size_t I = hashOf(P.Number + P.What);
    while (Larger[I % Larger.size()])
      ++I;
    Larger[I % Larger.size()] = &P;
  }
  Table = std::move(Larger);
}

Ledger::Page &Ledger::pageOf(uintptr_t Number, Kind What) {
  Page *P = find(Number, What);
  if (!P) {
    if (2 * (Pages.size() + 1) > Table.size())
      grow();
    P = &Pages.emplace_back(Number, What);
    size_t I = hashOf(Number + What);
    while (Table[I % Table.size()])
      ++I;
    Table[I % Table.size()] = P;
  }
  P->Used = true;
  return *(Last = P);
}

template <typename T> void Ledger::add(T *Where, T Value) {
  const auto Address = reinterpret_cast<uintptr_t>(Where);
  Page &P = pageOf(Address / PageBytes, kindOf<T>());
  reinterpret_cast<T *>(P.Sums)[Address % PageBytes / sizeof(T)] += Value;
}

template void Ledger::add(float *, float);
template void Ledger::add(double *, double);
template void Ledger::add(long double *, long double);

/// Hands the sums that are not zero to To, with their places.
template <typename T, typename Add> void Ledger::each(Page &P, Part Bytes, Add &&To) {
  auto *Sums = reinterpret_cast<T *>(P.Sums);
  auto *Memory = reinterpret_cast<T *>(P.Number * PageBytes);
  for (size_t I = Bytes.Begin / sizeof(T); I * sizeof(T) < Bytes.End; ++I)
    if (Sums[I] != 0)
      To(Memory[I], std::exchange(Sums[I], T(0)));
}

template <typename Add> void Ledger::empty(Page &P, Part Bytes, Add &&To) {
  if (P.What == F32)
    each<float>(P, Bytes, To);
  else if (P.What == F64)
    each<double>(P, Bytes, To);
  else
    each<long double>(P, Bytes, To);
}

void Ledger::settle(int Share, int Shares) {
  for (Page &P : Pages)
    if (hashOf(P.Number) % static_cast<size_t>(Shares) == static_cast<size_t>(Share) && P.Used) {
      empty(P, {}, [](auto &Memory, auto Sum) { Memory += Sum; });
      P.Used = false;
    }
}

void Ledger::flush() {
  for (Page &P : Pages)
    if (std::exchange(P.Used, false))
      empty(P, {}, [](auto &Memory, auto Sum) { addAtomically(Memory, Sum); });
}

void Ledger::take(char *Where, int64_t Bytes) {
  const auto Begin = reinterpret_cast<uintptr_t>(Where);
  const uintptr_t End = Begin + static_cast<uintptr_t>(Bytes);
  for (uintptr_t Number = Begin / PageBytes; Number * PageBytes < End; ++Number) {
    const uintptr_t Start = Number * PageBytes;
    const Part Wanted{Begin > Start ? Begin - Start : 0, std::min(End - Start, PageBytes)};
    for (Kind What : {F32, F64, F80})
      if (Page *P = find(Number, What); P && P->Used)
        empty(*P, Wanted, [](auto &Memory, auto Sum) { Memory += Sum; });
  }
}

namespace {

struct Team {
  std::vector<Ledger> Ledgers; ///< one per thread; none in a team inside another one that has some
  Ledger *OuterLedger = nullptr; ///< what the forking thread, which is thread 0, used before
  Team *OuterTeam = nullptr;
};

thread_local Ledger *Mine = nullptr;
thread_local Team *Ours = nullptr;

template <typename T> void add(T *Where, T Value, bool Locks) {
  const bool Aligned = reinterpret_cast<uintptr_t>(Where) % sizeof(T) == 0;
  if (Mine && Aligned && !holdsTurn())
    return Mine->add(Where, Value);
  if (Locks)
    cf_v1_omp_share_enter();
  addAtomically(*Where, Value);
  if (Locks)
    cf_v1_omp_share_leave();
}

} // namespace

Ledger *ledger() { return Mine; }

void settleLedgers() {
  if (!Mine || teamSize() == 1)
    return;
  barrier();
  for (Ledger &L : Ours->Ledgers)
    L.settle(threadNumber(), teamSize());
}

} // namespace contraflow::omp

using namespace contraflow;

void cf_v1_omp_ledger_open(void) {
  const int Threads = omp::teamSize(), Self = omp::threadNumber();
  if (Threads == 1)
    return;
  omp::Team *Team = nullptr;
  if (Self == 0) {
    Team = new omp::Team{{}, omp::Mine, omp::Ours};
    if (!omp::Ours)
      Team->Ledgers.resize(static_cast<size_t>(Threads));
  }
  Team = static_cast<omp::Team *>(omp::broadcast(Team, Self == 0));
  omp::Mine = Team->Ledgers.empty() ? nullptr : &Team->Ledgers[static_cast<size_t>(Self)];
  omp::Ours = Team;
}

void cf_v1_omp_ledger_close(void) {
  if (omp::teamSize() == 1)
    return;
  omp::settleLedgers();
  omp::Team *Team = std::exchange(omp::Ours, nullptr);
  omp::Mine = nullptr;
  omp::barrier();
  if (omp::threadNumber() != 0)
    return;
  omp::Mine = Team->OuterLedger;
  omp::Ours = Team->OuterTeam;
  delete Team;
}

void cf_v1_omp_ledger_flush(void) {
  if (!omp::Mine)
    return;
  cf_v1_omp_share_enter();
  omp::Mine->flush();
  cf_v1_omp_share_leave();
}

void cf_v1_omp_ledger_take(void *where, int64_t bytes) {
  if (omp::Mine)
    omp::Mine->take(static_cast<char *>(where), bytes);
}

void cf_v1_omp_ledger_add_f64(double *where, double value, int32_t locks) {
  omp::add(where, value, locks != 0);
}

void cf_v1_omp_ledger_add_f32(float *where, float value, int32_t locks) {
  omp::add(where, value, locks != 0);
}

void cf_v1_omp_ledger_add_f80(void *where, long double value, int32_t locks) {
  omp::add(static_cast<long double *>(where), value, locks != 0);
}
