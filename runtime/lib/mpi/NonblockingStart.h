// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions that start nonblocking collectives have in common: the request of a primal
// that has just been started is entered into the table.

#pragma once

#include "mpi/NonblockingCollective.h"

namespace contraflow::mpi {

/// Starts the tangent.
void startedTangent(Communicator &Comm, std::unique_ptr<Operation> Tangent, MPI_Request *Request);

/// The record, with what it is still to be filled in.
NonblockingCollective *started(Communicator &Comm, MPI_Request *Request, cf_tape *Tape);

} // namespace contraflow::mpi
