// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two sets of bytes of shadow memory for each derivative call. Buffers of bytes are few, and used
// again and again.

#include "mpi/Relayed.h"

#include "mpi/Refuse.h"
#include "mpi/Words.h"
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
  Words UnseenWords;
  std::atomic<bool> Lost = false;
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

/// Bytes that came with tangents, and in which words of eight bytes these were not zero.
struct Dropped {
  std::vector<char> Primal;
  std::vector<std::size_t> Lost;
};
constexpr std::size_t Word = 8;

struct AllDropped {
  std::mutex Lock;
  std::map<const char *, Dropped> ByPlace;
};

AllDropped &dropped() {
  static auto *All = new AllDropped;
  return *All;
}

/// Calls Do(bytes of the primal, packed bytes of one direction before them).
template <class Action> void forEachRun(const char *Primal, const View &V, Action Do) {
  if (V.L->Dense && V.Leaves > 0) {
    if (V.L->Runs[0].Kind == Leaf::Byte)
      Do(Bytes{Primal, V.Leaves}, std::int64_t{0});
    return;
  }
  std::int64_t Left = V.Leaves, Before = 0;
  for (const char *Item = Primal; Left > 0; Item += V.L->Extent)
    for (const Run &R : V.L->Runs) {
      const std::int64_t Count = std::min(Left, R.Count);
      if (Count > 0 && R.Kind == Leaf::Byte)
        Do(Bytes{Item + R.Offset, Count}, Before);
      Before += Count * sizeOf(R.Kind);
      Left -= Count;
    }
}

bool isZero(const std::byte *Data, std::size_t Bytes) {
  return std::all_of(Data, Data + Bytes, [](std::byte B) { return B == std::byte{0}; });
}

/// Of one run of bytes. Tangents: of its beginning in the first direction.
Dropped droppedOf(Bytes Here, const View &V, const std::byte *Tangents) {
  const auto Count = static_cast<std::size_t>(Here.Count);
  const std::int64_t Direction = V.leafBytes() / V.directions();
  Dropped New;
  for (std::size_t At = 0; At < Count; At += Word)
    for (int D = 0; D < V.directions(); ++D)
      if (!isZero(Tangents + D * Direction + At, std::min(Word, Count - At))) {
        New.Lost.push_back(At);
        break;
      }
  if (!New.Lost.empty())
    New.Primal.assign(Here.From, Here.From + Here.Count);
  return New;
}

/// True if some of it is still there.
bool isThere(const Dropped &D, const char *Place, Bytes Here) {
  return std::any_of(D.Lost.begin(), D.Lost.end(), [&](std::size_t At) {
    const char *From = std::max(Place + At, Here.From);
    const char *To = std::min(Place + std::min(At + Word, D.Primal.size()), Here.From + Here.Count);
    return From < To && !std::memcmp(From, D.Primal.data() + (From - Place),
                                     static_cast<std::size_t>(To - From));
  });
}

Pieces &arrived() { return known().Arrived; }
Pieces &relayed() { return known().Relayed; }

/// A piece of what is sent, beside the places where the words of D were dropped: the text may have
/// been copied to there. Of long ones a part is looked at.
bool isCopied(const Dropped &D, Bytes Here) {
  constexpr std::size_t MostWords = 64;
  constexpr std::int64_t MostBytes = 1 << 14;
  Words Lost;
  for (std::size_t I = 0; I < std::min(D.Lost.size(), MostWords); ++I)
    Lost.note(D.Primal.data() + D.Lost[I], std::min(2 * Word - 1, D.Primal.size() - D.Lost[I]));
  return Lost.finds(Here.From, static_cast<std::size_t>(std::min(Here.Count, MostBytes)));
}

} // namespace

void refusePassedOn() {
  refuse(Refusal::Datatype, "characters or bytes that memory without a shadow passes on");
}

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

const char *withoutShadow(const void *Primal, const View &V) {
  return !V.Base && V.L->Raw && V.Leaves > 0 ? static_cast<const char *>(Primal) : nullptr;
}

void noteUnseen(const char *Primal, const View &V) {
  forEachRun(Primal, V, [](Bytes Here, std::int64_t) { known().Unseen.add(Here); });
}

void noteUnseenWords(const char *Primal, const View &V) {
  forEachRun(Primal, V, [](Bytes Here, std::int64_t) {
    known().UnseenWords.note(Here.From, static_cast<std::size_t>(Here.Count));
  });
}

PassedOn passedOn(const char *Primal, const View &V) {
  Known &All = known();
  auto How = PassedOn::No;
  forEachRun(Primal, V, [&](Bytes Here, std::int64_t) {
    if (All.Unseen.overlaps(Here))
      How = PassedOn::Here;
    else if (How == PassedOn::No &&
             All.UnseenWords.finds(Here.From, static_cast<std::size_t>(Here.Count)))
      How = PassedOn::Copied;
  });
  return How;
}

void checkReturn(const View &V, PassedOn How, const std::byte *Adjoints) {
  if (V.Leaves <= 0 || How == PassedOn::No)
    return;
  bool Lost = V.saysLost(Adjoints);
  const std::int64_t Direction = V.leafBytes() / V.directions();
  forEachRun(nullptr, {nullptr, V.L, V.Leaves}, [&](Bytes Here, std::int64_t Before) {
    for (int D = 0; D < V.directions(); ++D)
      if (!isZero(Adjoints + D * Direction + Before, static_cast<std::size_t>(Here.Count))) {
        if (How == PassedOn::Here)
          refusePassedOn();
        Lost = true;
      }
  });
  if (Lost)
    known().Lost = true;
}

bool saysLostBehind(const View &V, const std::byte *Adjoints) {
  return V.Base && V.Leaves > 0 && !V.L->Raw && View::isLost(Adjoints + V.bytes());
}

bool hasLost() { return known().Lost; }

void noteDropped(const char *Primal, const View &V, const std::byte *Tangents) {
  AllDropped &All = dropped();
  const std::scoped_lock Guard(All.Lock);
  forEachRun(Primal, V, [&](Bytes Here, std::int64_t Before) {
    Dropped New = droppedOf(Here, V, Tangents + Before);
    if (New.Lost.empty())
      All.ByPlace.erase(Here.From);
    else
      All.ByPlace[Here.From] = std::move(New);
  });
}

void checkDropped(const char *Primal, const View &V) {
  AllDropped &All = dropped();
  const std::scoped_lock Guard(All.Lock);
  if (All.ByPlace.empty())
    return;
  forEachRun(Primal, V, [&](Bytes Here, std::int64_t) {
    const auto End = All.ByPlace.lower_bound(Here.From + Here.Count);
    for (auto I = All.ByPlace.begin(); I != End; ++I)
      if (isThere(I->second, I->first, Here))
        refusePassedOn();
    for (const auto &[Place, D] : All.ByPlace)
      if (isCopied(D, Here))
        refusePassedOn();
  });
}

} // namespace contraflow::mpi
