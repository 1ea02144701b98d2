// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <mpi.h>

namespace contraflow::mpi {

class PersistentCollective;

/// From now on MPI_Start of `Request` is a start of the collective.
void keepPersistent(MPI_Request Request, std::unique_ptr<PersistentCollective> What);

/// `Request` is freed; if it is a persistent one, its arguments are of no use any more.
void forgetPersistent(MPI_Request Request);

} // namespace contraflow::mpi
