// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of a buffer as they travel.

#pragma once

#include "mpi/Movement.h"
#include "mpi/Outbox.h"

#include <climits>

namespace contraflow::mpi {

/// The packed leaves of some blocks; counts and starts in units of the carrier.
struct Parcel {
  Packed Numbers; ///< Counts and Starts, one for each block
  int *Counts, *Starts;
  Packed Own;
  std::byte *Data = nullptr; ///< Own, or the blocks themselves
  int Units = 0;

  explicit Parcel(const Blocks &B) : Parcel(B, Counted{}) { allocate(); }
  /// What is to be sent from B: packed unless it can be sent from where it is, which must not
  /// change until it has been.
  static Parcel from(const Blocks &B) {
    Parcel P(B, Counted{});
    if (!P.lieIn(B)) {
      P.allocate();
      P.pack(B);
    }
    return P;
  }
  std::byte *block(int I) const {
    return Data + static_cast<std::size_t>(Starts[I]) * sizeof(float);
  }
  void pack(const Blocks &B) const {
    for (int I = 0; I < B.Size; ++I)
      B.at(I).pack(block(I));
  }
  void storeTo(const Blocks &B) const {
    for (int I = 0; I < B.Size; ++I)
      B.at(I).store(block(I));
  }
  void addTo(const Blocks &B) const {
    for (int I = 0; I < B.Size; ++I)
      B.at(I).add(block(I));
  }

private:
  static constexpr std::ptrdiff_t Unit = sizeof(float);
  struct Counted {};

  /// Without memory.
  Parcel(const Blocks &B, Counted)
      : Numbers(packedBuffer(2 * B.Size * std::int64_t{sizeof(int)})),
        Counts(reinterpret_cast<int *>(Numbers.get())), Starts(Counts + B.Size) {
    std::int64_t Bytes = 0;
    for (int I = 0; I < B.Size; ++I) {
      Starts[I] = carrierCount(Bytes);
      Counts[I] = carrierCount(B.at(I).bytes());
      Bytes += B.at(I).bytes();
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
