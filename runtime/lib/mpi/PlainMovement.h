// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All-to-all of numbers of one kind without gaps, in blocks by counts and displacements, as most
// programs have it. Its adjoints are sent from where they are, and nothing is looked up for each
// block.

#pragma once

#include "mpi/Movement.h"

namespace contraflow::mpi {

/// The adjoint of M, unless this rank's blocks are of another kind: false then, and nothing is
/// done. What the other ranks' blocks are does not matter.
bool adjointOfPlain(const Movement &M);

} // namespace contraflow::mpi
