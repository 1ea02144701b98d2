// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where MPI_Pack has put numbers. Packed bytes travel as bytes of which the compiler knows nothing,
// and what comes back from several ranks, or for several messages, has to be added to one adjoint:
//
//   Pack(n), Pack(a), Bcast(buffer, MPI_PACKED)     bytes 4 to 28: three F64
//
// So each derivative call keeps a list of what has been packed where. A message from memory that
// holds packed values only takes what the list says of it, if the bytes are still those that were
// packed. Of all others nothing is known.

#pragma once

#include "mpi/Layout.h"

#include <vector>

namespace contraflow::mpi {

/// Values of a packed layout, in bytes from the beginning of the message.
struct PackedPiece {
  std::int64_t Begin, End;
  const Layout *L;
  std::int64_t Leaves;
  bool operator==(const PackedPiece &) const = default;
};
struct PackedPieces {
  std::vector<PackedPiece> All; ///< in order, apart from each other
};

/// `To`: the shadow of what has just been packed to `Primal`.
void notePacked(const View &To, const void *Primal, std::int64_t Bytes);

/// What is known of a message's bytes; null: nothing. Never goes away.
const PackedPieces *packedIn(const char *Shadow, const void *Primal, std::int64_t Bytes);

} // namespace contraflow::mpi
