// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of a buffer as they travel.

#pragma once

#include "mpi/Movement.h"
#include "mpi/Outbox.h"

namespace contraflow::mpi {

/// The packed leaves of some blocks; counts and starts in units of the carrier.
struct Parcel {
  Packed Numbers; ///< Counts and Starts, one for each block
  int *Counts, *Starts;
  Packed Data;
  int Units = 0;

  explicit Parcel(const Blocks &B)
      : Numbers(packedBuffer(2 * B.Size * std::int64_t{sizeof(int)})),
        Counts(reinterpret_cast<int *>(Numbers.get())), Starts(Counts + B.Size) {
    std::int64_t Bytes = 0;
    for (int I = 0; I < B.Size; ++I) {
      Starts[I] = carrierCount(Bytes);
      Counts[I] = carrierCount(B.at(I).bytes());
      Bytes += B.at(I).bytes();
    }
    Units = carrierCount(Bytes);
    Data = packedBuffer(Bytes);
  }
  std::byte *block(int I) const {
    return Data.get() + static_cast<std::size_t>(Starts[I]) * sizeof(float);
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
};

/// The one buffer of a broadcast.
inline bool isRoot(const Movement &M) { return M.Comm->rank() == M.Root; }
inline View broadcastView(const Movement &M) { return isRoot(M) ? M.Given.at(0) : M.Got.at(0); }

/// As MPI counts leaves.
int leafCount(std::int64_t Leaves, const char *Function);

} // namespace contraflow::mpi
