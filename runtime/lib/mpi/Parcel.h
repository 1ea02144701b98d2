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

namespace contraflow::mpi {

/// The packed leaves of some blocks; counts and starts in units of the carrier.
struct Parcel {
  Packed Numbers; ///< Counts and Starts, one for each block
  int *Counts, *Starts;
  Packed Own;
  std::byte *Data = nullptr; ///< Own, or the blocks themselves
  int Units = 0;

  explicit Parcel(const Blocks &B) : Parcel(B, 0) { allocate(); }
  /// What arrives for B. The other side may have bytes, and a word behind them (View.cpp), where B
  /// has numbers: there is room for that. Where it has the numbers, the word says nothing.
  static Parcel arrivingAt(const Blocks &B, Pattern How) {
    Parcel P(B, How == Pattern::Allgather ? 0 : WordBytes); // which nobody gathers as bytes
    P.allocate();
    for (int I = 0; I < B.Size; ++I)
      if (const View V = B.at(I); V.Leaves > 0 && V.L->Raw)
        std::memset(P.block(I) + V.bytes() - WordBytes, 0, WordBytes);
    return P;
  }
  /// What is to be sent from B: packed unless it can be sent from where it is, which must not
  /// change until it has been.
  static Parcel from(const Blocks &B) {
    Parcel P(B, 0);
    if (!P.lieIn(B)) {
      P.allocate();
      P.pack(B);
    }
    return P;
  }
  /// The library wants to hear of as much as a rank sends to itself.
  void takeOwn(const Parcel &Sent, int Rank) const {
    Counts[Rank] = std::min(Counts[Rank], Sent.Counts[Rank]);
  }
  std::byte *block(int I) const {
    return Data + static_cast<std::size_t>(Starts[I]) * sizeof(float);
  }
  void pack(const Blocks &B) const {
    for (int I = 0; I < B.Size; ++I)
      B.at(I).pack(block(I));
  }
  void storeTo(const Blocks &B) const {
    for (int I = 0; I < B.Size; ++I) {
      if (const char *Primal = B.unseenAt(I))
        noteDropped(Primal, B.at(I), block(I));
      B.at(I).store(block(I));
    }
  }
  void addTo(const Blocks &B) const {
    for (int I = 0; I < B.Size; ++I) {
      checkReturn(B.at(I), B.PassesOn, block(I));
      B.at(I).add(block(I));
    }
  }

private:
  static constexpr std::ptrdiff_t Unit = sizeof(float);

  /// Without memory. With room behind each block that is not empty.
  Parcel(const Blocks &B, std::int64_t Room)
      : Numbers(packedBuffer(2 * B.Size * std::int64_t{sizeof(int)})),
        Counts(reinterpret_cast<int *>(Numbers.get())), Starts(Counts + B.Size) {
    std::int64_t Bytes = 0;
    for (int I = 0; I < B.Size; ++I) {
      Starts[I] = carrierCount(Bytes);
      const std::int64_t Block = B.at(I).bytes();
      const std::int64_t Here = Block > 0 ? Block + Room : 0;
      Counts[I] = carrierCount(Here);
      Bytes += Here;
    }
    Units = carrierCount(Bytes);
  }
  void allocate() {
    Own = packedBuffer(Units * std::int64_t{Unit});
    Data = Own.get();
  }
  /// Makes the blocks of B the data; false if they are not what would be packed.
  bool lieIn(const Blocks &B) {
    std::byte *First = nullptr;
    for (int I = 0; I < B.Size; ++I) {
      const View V = B.at(I);
      if (V.Leaves > 0 && !V.direct())
        return false;
      if (V.Leaves > 0 && (!First || V.direct() < First))
        First = V.direct();
    }
    for (int I = 0; I < B.Size && First; ++I)
      if (const View V = B.at(I); V.Leaves > 0)
        if (const auto Bytes = V.direct() - First; Bytes % Unit || Bytes / Unit > INT_MAX)
          return false;
    for (int I = 0; I < B.Size && First; ++I)
      if (const View V = B.at(I); V.Leaves > 0)
        Starts[I] = static_cast<int>((V.direct() - First) / Unit);
    Data = First ? First : Data;
    return true;
  }
};

/// The one buffer of a broadcast.
inline bool isRoot(const Movement &M) { return M.Comm->rank() == M.Root; }
inline View broadcastView(const Movement &M) { return isRoot(M) ? M.Given.at(0) : M.Got.at(0); }

/// As MPI counts leaves.
int leafCount(std::int64_t Leaves, const char *Function);

} // namespace contraflow::mpi
