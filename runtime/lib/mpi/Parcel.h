// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of a buffer as they travel.

#pragma once

#include "mpi/Movement.h"
#include "mpi/Outbox.h"
#include "mpi/Relayed.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <new>

namespace contraflow::mpi {

/// Views of some blocks, and numbers for MPI: looked up once. Those of a few need no memory.
class Listed {
public:
  explicit Listed(const Blocks &B) : Size(B.Size) {
    if (Size > Few)
      Many = packedBuffer(Size * std::int64_t{sizeof(View) + 2 * sizeof(int)});
    for (int I = 0; I < Size; ++I)
      new (&views()[I]) View(B.at(I));
  }

  const int Size;
  const View &at(int I) const { return views()[I]; }
  /// Of each block.
  int *counts() const { return reinterpret_cast<int *>(views() + Size); }
  int *starts() const { return counts() + Size; }
  void zero() const {
    for (int I = 0; I < Size; ++I)
      at(I).zero();
  }

private:
  static constexpr int Few = 8;
  alignas(View) mutable std::byte Room[Few * (sizeof(View) + 2 * sizeof(int))];
  Packed Many;

  View *views() const {
    return reinterpret_cast<View *>(Size > Few ? Many.get() : static_cast<std::byte *>(Room));
  }
};

/// The packed leaves of some blocks; counts and starts in units of the carrier.
struct Parcel : Listed {
  std::byte *Data = nullptr; ///< Own, or the blocks themselves
  int Units = 0;

  /// What is to be packed for B.
  explicit Parcel(const Blocks &B) : Parcel(B, 0) { allocate(); }
  /// What arrives for B. The other side may have bytes, and a word behind them (View.cpp), where B
  /// has numbers: there is room for that. Where it has the numbers, the word says nothing.
  static Parcel arrivingAt(const Blocks &B, Pattern How) {
    Parcel P(B, How == Pattern::Allgather ? 0 : WordBytes); // which nobody gathers as bytes
    P.WordBehind = How != Pattern::Allgather;
    P.allocate();
    for (int I = 0; I < P.Size; ++I)
      if (const View &V = P.at(I); V.Leaves > 0 && (V.L->Raw || How != Pattern::Allgather))
        std::memset(P.block(I) + V.bytes() - (V.L->Raw ? WordBytes : 0), 0, WordBytes);
    return P;
  }
  /// What is to be sent from B: packed unless it can be sent from where it is, which must not
  /// change until it has been.
  static Parcel from(const Blocks &B) {
    Parcel P(B, 0);
    if (!P.lieThere()) {
      P.allocate();
      P.pack();
    }
    return P;
  }
  /// The library wants to hear of as much as a rank sends to itself.
  void takeOwn(const Parcel &Sent, int Rank) const {
    counts()[Rank] = std::min(counts()[Rank], Sent.counts()[Rank]);
  }
  std::byte *block(int I) const {
    return Data + static_cast<std::size_t>(starts()[I]) * sizeof(float);
  }
  void pack() const {
    for (int I = 0; I < Size; ++I)
      at(I).pack(block(I));
  }
  void storeTo(const Blocks &B) const {
    for (int I = 0; I < Size; ++I) {
      if (const char *Primal = B.unseenAt(I))
        noteDropped(Primal, at(I), block(I));
      at(I).store(block(I));
    }
  }
  void addTo(const Blocks &B) const {
    for (int I = 0; I < Size; ++I) {
      if (WordBehind && saysLostBehind(at(I), block(I)))
        refusePassedOn();
      checkReturn(at(I), B.PassesOn, block(I));
      at(I).add(block(I));
    }
  }

private:
  static constexpr std::ptrdiff_t Unit = sizeof(float);
  Packed Own;
  bool WordBehind = false; ///< there is room for it

  /// Without memory. With room behind each block that is not empty.
  Parcel(const Blocks &B, std::int64_t Room) : Listed(B) {
    std::int64_t Bytes = 0;
    for (int I = 0; I < Size; ++I) {
      starts()[I] = carrierCount(Bytes);
      const std::int64_t Block = at(I).bytes();
      const std::int64_t Here = Block > 0 ? Block + Room : 0;
      counts()[I] = carrierCount(Here);
      Bytes += Here;
    }
    Units = carrierCount(Bytes);
  }
  void allocate() {
    Own = packedBuffer(Units * std::int64_t{Unit});
    Data = Own.get();
  }
  /// Makes the blocks themselves the data; false if they are not what would be packed.
  bool lieThere() {
    char *First = nullptr;
    for (int I = 0; I < Size; ++I)
      if (const View &V = at(I); V.Leaves > 0) {
        if (!V.direct())
          return false;
        First = First && First < V.Base ? First : V.Base;
      }
    for (int I = 0; I < Size && First; ++I)
      if (const View &V = at(I); V.Leaves > 0)
        if (const auto Away = V.Base - First; Away % Unit || Away / Unit > INT_MAX)
          return false;
    for (int I = 0; I < Size && First; ++I)
      if (at(I).Leaves > 0)
        starts()[I] = static_cast<int>((at(I).Base - First) / Unit);
    Data = First ? reinterpret_cast<std::byte *>(First) : Data;
    return true;
  }
};

/// The one buffer of a broadcast.
inline bool isRoot(const Movement &M) { return M.Comm->rank() == M.Root; }
inline View broadcastView(const Movement &M) { return isRoot(M) ? M.Given.at(0) : M.Got.at(0); }

/// As MPI counts leaves.
int leafCount(std::int64_t Leaves, const char *Function);

} // namespace contraflow::mpi
