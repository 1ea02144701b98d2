// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module tells the runtime once and for all, among its constructors (Announce.cpp).

#pragma once

#include "contraflow/core/Construct.h"
#include "parallel/mpi/Rows.h"

namespace contraflow::mpi {

/// Calls a function of the runtime from a constructor of the module, under this name, unless there
/// is one.
void announce(SweepBuilder &B, llvm::Module &M, llvm::StringRef Name, llvm::StringRef Function);

/// Tells the runtime that windows may combine values in other ways than sums, if the call does.
void announceMerging(SweepBuilder &B, llvm::CallBase &Call, const Row &R);

} // namespace contraflow::mpi
