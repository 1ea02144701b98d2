// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

namespace contraflow::mpi {

enum class Duplicate { OfGroup, WithTopology };

/// All ranks of `User` make a duplicate for derivatives. Defined beside the interposed functions,
/// so that a program that uses the one is linked with the other.
void duplicateFor(MPI_Comm User, MPI_Comm *Private, Duplicate What);

} // namespace contraflow::mpi
