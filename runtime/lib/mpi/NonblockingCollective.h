// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mirrors of nonblocking collectives.
//
//   start        reverse: what came back is awaited and added to s-bar
//   completion   reverse: r-bar is taken, cleared and handed to the mirrored nonblocking collective
//
// Awaiting the mirror where it is started would deadlock: between start and completion the primal
// may wait for messages of ranks that have not started yet. But completions come in another order
// on every rank, and nonblocking collectives must be started in one order. So a mirror starts as
// soon as its own and all later-started collectives have been reached: in the reverse order of the
// starts, on all ranks.

#pragma once

#include "mpi/Communicator.h"
#include "mpi/Layout.h"
#include "mpi/Record.h"

namespace contraflow::mpi {

struct NonblockingCollective : cf_mpi_record {
  enum class Pattern : std::uint8_t { Barrier, Bcast, Reduce, Allreduce };

  Pattern How = Pattern::Barrier;
  bool Open = false; ///< r-bar has been taken: Packed
  bool Completed = false;
  Leaf Leaves = Leaf::F64; ///< the kind in which they travel
  int Root = 0;
  int Count = 0; ///< leaves on every rank
  View Input;    ///< shadow of what this rank gives; no leaves if nothing
  View Result;   ///< shadow of what this rank gets; no leaves if nothing
  Communicator *Comm = nullptr;
  std::byte *Packed = nullptr;
  MPI_Request Request = MPI_REQUEST_NULL;
};

void complete(NonblockingCollective &C);
void openAdjoint(NonblockingCollective &C);
void closeAdjoint(NonblockingCollective &C);

/// In a tangent: starts beside the primal, ends at its completion.
void startTangent(NonblockingCollective &C);
void finishTangent(NonblockingCollective &C);

} // namespace contraflow::mpi
