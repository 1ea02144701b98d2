// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the program that the module hands to MPI, which calls them later: those that copy or
// delete attributes, handlers of errors. They are no part of a derivative.
//
//   static double total;
//   void note(MPI_Comm *c, int *code, ...) { total += 1; }      MPI_Comm_create_errhandler(note,
//   &h)

#pragma once

#include "contraflow/core/Construct.h"

namespace contraflow::mpi {

/// True if there are any.
bool registersFunctions(const llvm::Module &M);

/// An error if one of them may write to a variable that has a derivative.
llvm::Error checkRegistered(const SweepBuilder &B, llvm::CallBase &Call);

} // namespace contraflow::mpi
