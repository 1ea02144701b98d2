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

#include "mpi/Movement.h"
#include "mpi/Reduction.h"

namespace contraflow::mpi {

struct NonblockingCollective : cf_mpi_record {
  bool Open = false; ///< r-bar has been taken
  bool Completed = false;
  Communicator *Comm = nullptr;
  MPI_Comm Lane = MPI_COMM_NULL;   ///< its own: then its mirror waits for no others
  const Movement *Moved = nullptr; ///< what it is: one of the two, or a barrier
  const Reduction *Reduced = nullptr;
  Operation *Derivative = nullptr; ///< while it is on the way
  Operation *Beside = nullptr;     ///< the tangent of the primal, in an adjoint that is nested
};

void complete(NonblockingCollective &C);
void openAdjoint(NonblockingCollective &C);
void closeAdjoint(NonblockingCollective &C);

/// In a tangent: starts beside the primal, ends at its completion.
void startTangent(NonblockingCollective &C, std::unique_ptr<Operation> Tangent);
void finishTangent(NonblockingCollective &C);
/// The same in an adjoint whose tangent is asked for (Directions.h).
void startBeside(NonblockingCollective &C);

/// MPI libraries return one and the same handle for everything that is complete at once. Which
/// collective a completion is of matters, so such a request is exchanged for one of its own.
void ownHandle(MPI_Request *Request);

} // namespace contraflow::mpi
