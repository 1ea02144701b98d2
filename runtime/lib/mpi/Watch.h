// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank that hangs or has gone should not hold up the others for ever. With
// CONTRAFLOW_MPI_TIMEOUT=30 in the environment, a derivative that waits longer than 30 seconds ends
// the job and says for whom it waits.

#pragma once

#include <mpi.h>

namespace contraflow::mpi {

/// The calling thread waits for another rank, or for all of a communicator, as long as it lives.
class Watch {
public:
  explicit Watch(MPI_Comm Comm, int Peer = MPI_ANY_SOURCE);
  ~Watch();
  Watch(const Watch &) = delete;
  Watch &operator=(const Watch &) = delete;
};

/// A call of the program's own, which may wait for others.
template <class Action> int watched(Action Primal) {
  const Watch Waits(MPI_COMM_WORLD);
  return Primal();
}

/// The calling thread has looked whether something has happened, and goes on. Who looks again and
/// again, and does little else, waits: for a rank of `Comm`, or for any.
void looked(bool Found, MPI_Comm Comm = MPI_COMM_WORLD, int Peer = MPI_ANY_SOURCE);

/// The rank of a peer in MPI_COMM_WORLD; negative if it has none.
int worldRank(MPI_Comm Comm, int Peer);

/// All ranks, in MPI_Init: a rank of this machine that stands still ends the job wherever the
/// others are.
void watchOthers();

/// While this rank looks at words again and again, others may wait for answers of it, which a look
/// at its own memory does not give.
void answerOthers();

} // namespace contraflow::mpi
