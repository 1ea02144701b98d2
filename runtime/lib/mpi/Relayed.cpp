// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two sets of bytes of shadow memory for each derivative call. Buffers of bytes are few, and used
// again and again.

#include "mpi/Relayed.h"
#include "tape/DerivativeCall.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace contraflow::mpi {
namespace {

/// Pieces of memory; those that touch are one.
class Pieces {
public:
  void add(Bytes New) {
    const std::scoped_lock Guard(Lock);
    std::uintptr_t From = begin(New), To = end(New);
    for (auto I = firstEndingAt(From); I != Ends.end() && I->first <= To; I = Ends.erase(I)) {
      if (I->first <= From && I->second >= To)
        return;
      From = std::min(From, I->first);
      To = std::max(To, I->second);
    }
    Ends[From] = To;
    Any = true;
  }
  bool overlaps(Bytes Of) {
    if (!Any)
      return false;
    const std::scoped_lock Guard(Lock);
    const auto I = firstEndingAt(begin(Of) + 1);
    return I != Ends.end() && I->first < end(Of);
  }
  void remove(Bytes Gone) {
    if (!Any)
      return;
    const std::scoped_lock Guard(Lock);
    const std::uintptr_t From = begin(Gone), To = end(Gone);
    for (auto I = firstEndingAt(From + 1); I != Ends.end() && I->first < To;) {
      const auto [First, Last] = *I;
      I = Ends.erase(I);
      if (First < From)
        Ends[First] = From;
      if (Last > To)
        Ends[To] = Last;
    }
    Any = !Ends.empty();
  }

private:
  std::mutex Lock;
  std::map<std::uintptr_t, std::uintptr_t> Ends; ///< of pieces, by their beginnings
  std::atomic<bool> Any = false;

  static std::uintptr_t begin(Bytes B) { return reinterpret_cast<std::uintptr_t>(B.From); }
  static std::uintptr_t end(Bytes B) { return begin(B) + static_cast<std::uintptr_t>(B.Count); }
  /// The first piece that ends at `At` or behind it.
  std::map<std::uintptr_t, std::uintptr_t>::iterator firstEndingAt(std::uintptr_t At) {
    auto I = Ends.upper_bound(At);
    if (I != Ends.begin() && std::prev(I)->second >= At)
      --I;
    return I;
  }
};

struct Known {
  Pieces Arrived, Relayed, Unseen;
};

struct Calls {
  std::mutex Lock;
  std::map<const Arena *, Known> All; ///< tangents have no call
};

Calls &calls() {
  static auto *All = new Calls;
  return *All;
}

void forgetCall(Arena *Root) {
  const std::scoped_lock Guard(calls().Lock);
  calls().All.erase(Root);
}

Known &known() {
  static const bool Hooked = (setCallEndHook(AtCallEnd::Messages, forgetCall), true);
  static_cast<void>(Hooked);
  const std::scoped_lock Guard(calls().Lock);
  return calls().All[currentCall()];
}

/// Bytes whose tangents were dropped, by where they are.
struct Dropped {
  std::mutex Lock;
  std::map<const char *, std::vector<char>> All;
};

Dropped &dropped() {
  static auto *All = new Dropped;
  return *All;
}

Pieces &arrived() { return known().Arrived; }
Pieces &relayed() { return known().Relayed; }

} // namespace

void noteArrival(const View &V) {
  if (!V.Base || V.Leaves <= 0 || !V.L->Raw)
    return;
  const std::int64_t Items = (V.Leaves + V.L->Leaves - 1) / V.L->Leaves;
  for (int D = 0; D < V.directions(); ++D) {
    const Bytes Here = {V.direction(D).Base, Items * V.L->Extent};
    relayed().remove(Here); // of other memory that was there before
    if (V.L->Inside.Count >= 0)
      arrived().add(Here);
    else
      arrived().remove(Here);
  }
}

bool hasArrived(Bytes Of) { return arrived().overlaps(Of); }

void noteRelayed(Bytes Of) { relayed().add(Of); }

bool isRelayed(Bytes Of) { return relayed().overlaps(Of); }

void forgetRelayed(Bytes Of) { relayed().remove(Of); }

Bytes withoutShadow(const Buffer &B, const View &V) {
  const bool IsOne = !V.Base && V.L->Raw && V.L->Extent == V.L->Size && B.Primal && V.Leaves > 0;
  return IsOne ? Bytes{static_cast<const char *>(B.Primal), V.Leaves} : Bytes{nullptr, 0};
}

void noteUnseen(Bytes Primal) { known().Unseen.add(Primal); }

bool isUnseen(Bytes Primal) { return known().Unseen.overlaps(Primal); }

void noteDropped(Bytes Primal) {
  Dropped &D = dropped();
  const std::scoped_lock Guard(D.Lock);
  D.All[Primal.From].assign(Primal.From, Primal.From + Primal.Count);
}

bool wasDropped(Bytes Primal) {
  Dropped &D = dropped();
  const std::scoped_lock Guard(D.Lock);
  const char *End = Primal.From + Primal.Count;
  for (auto I = D.All.begin(); I != D.All.end() && I->first < End; ++I) {
    const char *From = std::max(I->first, Primal.From);
    const char *To = std::min(I->first + I->second.size(), End);
    if (From < To && !std::memcmp(From, I->second.data() + (From - I->first),
                                  static_cast<std::size_t>(To - From)))
      return true;
  }
  return false;
}

} // namespace contraflow::mpi
