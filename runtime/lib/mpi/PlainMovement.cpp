// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mpi/PlainMovement.h"

#include "accumulate/Layers.h"
#include "mpi/Layered.h"
#include "mpi/Outbox.h"

#include <algorithm>
#include <climits>
#include <cstring>

namespace contraflow::mpi {
namespace {

constexpr int Most = 16; ///< blocks of which no memory is asked for
constexpr auto Unit = static_cast<std::int64_t>(sizeof(float));

bool isPlain(const Blocks &B) {
  return B.Size <= Most && B.Base && B.L && B.L->Dense && !B.L->Raw && !B.All && !B.Layouts &&
         !B.Views && !B.Places && !B.Edges && !B.Same && B.Skip < 0 && B.PassesOn == PassedOn::No;
}

/// What MPI is told, in units of the carrier.
struct Units {
  int Counts[Most], Starts[Most];

  bool set(int Block, std::int64_t Count, std::int64_t Start) {
    Counts[Block] = static_cast<int>(Count);
    Starts[Block] = static_cast<int>(Start);
    return Count <= INT_MAX && Start <= INT_MAX && Start >= INT_MIN;
  }
};

std::int64_t itemsOf(const Blocks &B, int Block) { return B.Counts ? B.Counts[Block] : B.Count; }
std::int64_t unitsOf(const Blocks &B, int Block) {
  return itemsOf(B, Block) * (B.L->Extent / Unit);
}

/// The blocks where they are.
bool inPlace(const Blocks &B, Units &Of) {
  for (int I = 0; I < B.Size; ++I)
    if (!Of.set(I, unitsOf(B, I), B.start(I) / Unit))
      return false;
  return true;
}

/// One behind the other, with a word behind each: see Parcel::arrivingAt.
bool oneByOne(const Blocks &B, Units &Of, std::int64_t &Total) {
  constexpr std::int64_t Word = WordBytes / Unit;
  Total = 0;
  for (int I = 0; I < B.Size; ++I) {
    const std::int64_t Numbers = unitsOf(B, I), Count = Numbers > 0 ? Numbers + Word : 0;
    if (!Of.set(I, Count, Total))
      return false;
    Total += Count;
  }
  return true;
}

/// The other side has something to say of its bytes.
void addMarked(const Movement &M, const View &V, int From, const std::byte *Arrived) {
  if (saysLostBehind(V, Arrived))
    refusePassedOn();
  V.add(Arrived);
  if (areLayersComing(V, Arrived, true))
    addLayers(V, M.Given.PassesOn, carrierCount(V.bytes() + WordBytes),
              {From, LaneTag, M.Comm->lane()});
}

/// Calls Do(beginning, word behind it) for each block that has come.
template <class Action> void forEachArrived(const Units &In, int Size, std::byte *Data, Action Do) {
  for (int I = 0; I < Size; ++I)
    if (In.Counts[I] > 0) {
      std::byte *Begin = Data + In.Starts[I] * Unit;
      Do(I, Begin, Begin + In.Counts[I] * Unit - WordBytes);
    }
}

void clear(const Blocks &B, const Units &Of) {
  for (int I = 0; I < B.Size; ++I)
    if (Of.Counts[I] > 0)
      std::memset(B.Base + Of.Starts[I] * Unit, 0, static_cast<std::size_t>(Of.Counts[I] * Unit));
}

} // namespace

bool adjointOfPlain(const Movement &M) {
  const Blocks &Got = M.Got, &Given = M.Given;
  Units Out, In;
  std::int64_t Total = 0;
  if (areLayers() || !isPlain(Got) || !isPlain(Given) || !inPlace(Got, Out) ||
      !oneByOne(Given, In, Total))
    return false;
  const Packed Data = packedBuffer(Total * Unit);
  forEachArrived(In, Given.Size, Data.get(),
                 [](int, std::byte *, std::byte *Word) { std::memset(Word, 0, WordBytes); });
  const int Rank = M.Comm->rank();
  const int OwnCount = In.Counts[Rank]; // the library wants to hear of what comes from itself alone
  In.Counts[Rank] = std::min(OwnCount, Out.Counts[Rank]);
  PMPI_Alltoallv(Got.Base, Out.Counts, Out.Starts, carrierUnit(), Data.get(), In.Counts, In.Starts,
                 carrierUnit(), M.Comm->carrier());
  In.Counts[Rank] = OwnCount;
  clear(Got, Out);
  forEachArrived(In, Given.Size, Data.get(), [&](int I, std::byte *Begin, std::byte *Word) {
    std::uint32_t Said = 0;
    std::memcpy(&Said, Word, WordBytes);
    const View V = {Given.Base + Given.start(I), Given.L, itemsOf(Given, I) * Given.L->Leaves};
    Said ? addMarked(M, V, I, Begin) : V.add(Begin);
  });
  return true;
}

} // namespace contraflow::mpi
